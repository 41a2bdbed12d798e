"""Pairs from topics.txt and single.txt: build_pairs.py OUT_DIR

Of each attribute: a duplicate, a refinement and two conflicts; of each two attributes of one topic: pairs that are clear.
Writes topics.jsonl and kept-out.jsonl (the topics of KEPT_OUT, never trained on), lines {id, a, b, label, accept, tags}.
"""
import json, random, sys
from pathlib import Path

HERE = Path(__file__).parent
KEPT_OUT = {'customer', 'policy travel', 'incident', 'monitoring', 'mobile app', 'course'}
LABEL = {'dup': 'duplicate', 'ref': 'refines', 'conf': 'conflict', 'clear': 'clear'}


def topics():
    found, name = {}, None
    for line in (HERE / 'topics.txt').read_text(encoding='utf-8').splitlines():
        if line.startswith('## '):
            name = line[3:]
            found[name] = []
        elif line.strip() and not line.startswith('#'):
            four = [part.strip() for part in line.split(' | ')]
            assert len(four) == 4, line
            found[name].append(four)
    return found


def pairs_of(topic, attributes, rng, clear_per_two):
    for base, same, more, other in attributes:
        yield base, same, 'duplicate', topic
        yield rng.choice([base, same]), more, 'refines', topic
        yield base, other, 'conflict', topic
        yield rng.choice([same, more]), other, 'conflict', topic
    for i, one in enumerate(attributes):
        for two in attributes[:i]:
            for _ in range(clear_per_two):
                yield rng.choice(one), rng.choice(two), 'clear', topic


def singles():
    for line in (HERE / 'single.txt').read_text(encoding='utf-8').splitlines():
        if line.strip() and not line.startswith('#'):
            label, a, b = [part.strip() for part in line.split(' | ')]
            yield a, b, LABEL[label], 'single'


def write(path, rows, prefix):
    with open(path, 'w', encoding='utf-8') as out:
        for i, (a, b, label, tag) in enumerate(rows, 1):
            row = {'id': f'{prefix}-{i:04}', 'a': {'key': '', 'value': a}, 'b': {'key': '', 'value': b}, 'label': label, 'accept': [label], 'tags': [tag]}
            out.write(json.dumps(row, ensure_ascii=False) + '\n')


def main(folder):
    rng = random.Random(4)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    train, kept = list(singles()), []
    for topic, attributes in topics().items():
        (kept if topic in KEPT_OUT else train).extend(pairs_of(topic, attributes, rng, 1))
    rng.shuffle(kept)
    chosen = []
    for label, most in [('clear', 80), ('conflict', 40), ('duplicate', 20), ('refines', 20)]:
        chosen += [row for row in kept if row[2] == label][:most]
    write(out / 'topics.jsonl', train, 't')
    write(out / 'kept-out.jsonl', chosen, 'k')
    for name, rows in [('topics', train), ('kept-out', chosen)]:
        print(name, len(rows), {label: sum(row[2] == label for row in rows) for label in LABEL.values()})


if __name__ == '__main__':
    main(sys.argv[1])
