"""Pairs of the kinds that loom-relation-2 got wrong, from kinds/*.txt: build_kinds.py OUT_DIR

Writes kinds.jsonl and kept-kinds.jsonl (every sixth item of each kind and two topics of talk, never trained on), lines
{id, a, b, label, accept, tags}. A line of a kind has five claims: base, the same, more, what cannot hold, and a
look-alike that is clear; of long.txt: base, the same, two that cannot hold, and a look-alike.
"""
import json, random, sys
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ['inference', 'contraries', 'long', 'roles', 'limits', 'talk-facts', 'languages']
KEPT_TALK = {'books', 'studio'}
TALK_MOST = 22


def items(kind):
    tag = kind
    for line in (HERE / 'kinds' / f'{kind}.txt').read_text(encoding='utf-8').splitlines():
        if line.startswith('## '):
            tag = line[3:]
        elif line.strip() and not line.startswith('#'):
            parts = [part.strip() for part in line.split(' | ')]
            assert len(parts) == 5, line
            yield tag, parts


def pairs_of(kind, parts, rng):
    base, same, third, other, near = parts
    yield base, same, 'duplicate'
    yield base, other, 'conflict'
    if kind == 'long':
        yield base, third, 'conflict'
        yield same, rng.choice([third, other]), 'conflict'
    else:
        yield rng.choice([base, same]), third, 'refines'
        yield rng.choice([same, third]), other, 'conflict'
    yield base, near, 'clear'
    yield rng.choice([same, other]), near, 'clear'


def crossed(found, rng):
    """A claim of each item beside one of another item: clear, though both are of one shape."""
    for (tag, one), (_, two) in zip(found, found[1:] + found[:1]):
        yield tag, (rng.choice([one[0], one[3]]), rng.choice([two[0], two[3]]), 'clear')


def talk():
    topic = None
    for line in (HERE / 'kinds' / 'talk.txt').read_text(encoding='utf-8').splitlines():
        if line.startswith('## '):
            topic = (line[3:].split()[0], [])
            yield topic
        elif topic and line.strip():
            topic[1].append(line)


def talk_pairs(turns, rng):
    both = [(a, b) for i, a in enumerate(turns) for b in turns[:i]]
    for a, b in rng.sample(both, TALK_MOST):
        bare = rng.random() < 0.4 and a.split(': ')[0] == b.split(': ')[0]
        yield (a.split(': ', 1)[1], b.split(': ', 1)[1], 'clear') if bare else (a, b, 'clear')


def write(path, rows, prefix):
    with open(path, 'w', encoding='utf-8') as out:
        for i, (tag, (a, b, label)) in enumerate(rows, 1):
            row = {'id': f'{prefix}-{i:04}', 'a': {'key': '', 'value': a}, 'b': {'key': '', 'value': b}, 'label': label, 'accept': [label], 'tags': [tag]}
            out.write(json.dumps(row, ensure_ascii=False) + '\n')
    print(path.name, len(rows), {label: sum(row[1][2] == label for row in rows) for label in ('duplicate', 'refines', 'conflict', 'clear')})


def main(folder):
    rng = random.Random(6)
    Path(folder).mkdir(parents=True, exist_ok=True)
    train, kept = [], []
    for kind in KINDS:
        found = list(items(kind))
        ours = [item for i, item in enumerate(found) if i % 6 != 5]
        for into, some in [(train, ours), (kept, found[5::6])]:
            into += [(tag, pair) for tag, parts in some for pair in pairs_of(kind, parts, rng)]
            into += crossed(some, rng)
    for topic, turns in list(talk()):
        (kept if topic in KEPT_TALK else train).extend(('talk', pair) for pair in talk_pairs(turns, rng))
    write(Path(folder) / 'kinds.jsonl', train, 'n')
    write(Path(folder) / 'kept-kinds.jsonl', kept, 'o')


if __name__ == '__main__':
    main(sys.argv[1])
