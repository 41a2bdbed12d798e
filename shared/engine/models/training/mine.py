"""Hard negatives: pairs of claims of different items of one file, near each other in meaning.

usage: mine.py MODEL.onnx OUT.jsonl FILE...  (pairs as normalise.mjs writes them, with their ids)
Nearly all such pairs are clear. Those that a true conflict or duplicate may hide in are left out: of one key, very near
ones, those that share most words, and those that the present model is sure of although they speak of the same person.
Read what comes out, and put words of the wrong ones into WRONG.
"""
import json, random, re, sys
from collections import Counter
from relate import relations, runner, vectors
import torch

LEAST, MOST, FILE_MOST, CLAIM_MOST = 0.42, 0.80, 330, 3
ABOUT_SOMEBODY = re.compile(r"\b(user'?s?|i|my|he|she|his|her|at home|home|house|flat|car)\b", re.I)
STOP = set("the a an of in on at is are to for and or be by it with as from that this user user's our we only not no never every all each one has have".split())
WRONG = ['i go by jo', 'walks to the office every', 'driver app works offline', 'git submodule', 'in silence, with no music', 'we use pnpm', 'telemetry is opt-in', 'export job writes csv', "api keys aren't accepted", "user's home is leeds", 'only merge method', 'i have no car', 'login shell', 'works in neovim', 'oven nor a hob', 'no garage or driveway', "she's learning welsh", 'rust beginner', 'primary keys are uuid', 'retried 4 times', 'emoji', 'feature is built on its own long-lived', "firmware isn't shipped", 'single spare key to the flat', 'e-mail queue: no ordering', 'email queue holds', 'e-invoices only', 'ostra', 'gps access', 'wants brief repl', 'contract: 32 hours']


def words(text):
    return {w for w in re.findall(r"[a-z0-9']+", text.lower()) if w not in STOP}


def crosses(rows):
    """Pairs of claims of different rows, in random order, no claim in more than CLAIM_MOST."""
    claims = [(row['id'], row[side]) for row in rows for side in 'ab']
    vec = vectors(text for _, text in claims)
    matrix = torch.stack([vec[text] for _, text in claims])
    near = torch.triu(matrix @ matrix.T, 1)
    found, used = [], Counter()
    places = ((near >= LEAST) & (near <= MOST)).nonzero().tolist()
    for i, j in random.sample(places, len(places)):
        if claims[i][0] == claims[j][0] or max(used[i], used[j]) >= CLAIM_MOST:
            continue
        used.update([i, j])
        found.append({'a': claims[i][1], 'b': claims[j][1], 'verdict': 'clear', 'similarity': near[i, j].item()})
        if len(found) == FILE_MOST:
            break
    return found


def may_be_clear(row, relation):
    best = max(relation, key=relation.get)
    a, b = words(row['a']), words(row['b'])
    shared = len(a & b) / max(1, min(len(a), len(b)))
    most = 0.68 if best == 'clear' else 0.62
    if best != 'clear' and all(ABOUT_SOMEBODY.search(row[side]) for side in 'ab'):
        most = 0.50 if relation[best] > 0.85 else 0.56
    elif best != 'clear' and shared >= 0.34 and all(re.search(r'\d', row[side]) for side in 'ab'):
        most = 0.52
    return row['similarity'] < most and shared < 0.6 and not any(w in row['a'] or w in row['b'] for w in WRONG)


def main(model, out, *files):
    random.seed(11)
    rows = [row for file in files for row in crosses([json.loads(line) for line in open(file, encoding='utf-8')])]
    said = relations(runner(model), [(row['a'], row['b']) for row in rows])
    kept = [(row, max(p, key=p.get) == 'clear') for row, p in zip(rows, said) if may_be_clear(row, p)]
    easy = [row for row, is_easy in kept if is_easy]
    chosen = [row for row, is_easy in kept if not is_easy] + random.sample(easy, min(len(easy), 1100))
    with open(out, 'w', encoding='utf-8') as g:
        for row in chosen:
            g.write(json.dumps({key: row[key] for key in ('a', 'b', 'verdict')}, ensure_ascii=False) + '\n')
    print(len(rows), 'pairs,', len(kept), 'kept,', len(chosen), 'written')


if __name__ == '__main__':
    main(*sys.argv[1:])
