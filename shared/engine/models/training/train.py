"""Fine-tunes the pair judge.

usage: train.py --out M.pt [--init M.pt] --data FILE[:weight[:most]] ... [--lr 5e-5] [--epochs 1] [--minutes M]
A line of a file: {a, b, verdict?, nli?}, values in one spelling (normalise.mjs). `verdict` trains the verdict head in a
random order of the two texts; `nli` (e, n, c, direction a to b) trains the head of entailment.
"""
import argparse, json, math, random, time
import torch
import torch.nn.functional as F
from model import VERDICTS, NLI, load, tokenizer, batch

ap = argparse.ArgumentParser()
ap.add_argument('--out', required=True)
ap.add_argument('--init')
ap.add_argument('--data', action='append', required=True)
ap.add_argument('--lr', type=float, default=5e-5)
ap.add_argument('--epochs', type=float, default=1)
ap.add_argument('--bs', type=int, default=32)
ap.add_argument('--max-len', type=int, default=80)
ap.add_argument('--smooth', type=float, default=0.05)
ap.add_argument('--wd', type=float, default=0.01)
ap.add_argument('--seed', type=int, default=17)
ap.add_argument('--minutes', type=float, default=1e9, help='the rate falls to its end by then, whatever is left')
ap.add_argument('--threads', type=int, default=2)
a = ap.parse_args()
random.seed(a.seed)
torch.manual_seed(a.seed)
torch.set_num_threads(a.threads)
tok = tokenizer()


def read(spec):
    file, *rest = spec.split(':')
    rows = [json.loads(line) for line in open(file, encoding='utf-8')]
    random.Random(1).shuffle(rows)
    for row in rows:
        row['w'] = float(rest[0]) if rest and rest[0] else 1.0
    return rows[:int(rest[1])] if len(rest) > 1 else rows


def batches(rows):
    """Shuffled, then sorted inside big chunks by length, so padding stays small."""
    rows = random.sample(rows, len(rows))
    out = []
    for i in range(0, len(rows), a.bs * 50):
        chunk = sorted(rows[i:i + a.bs * 50], key=lambda r: len(r['a']) + len(r['b']))
        out += [chunk[j:j + a.bs] for j in range(0, len(chunk), a.bs)]
    return random.sample(out, len(out))


data = [row for spec in a.data for row in read(spec)]
print('examples', len(data), flush=True)
m = load(a.init).train()
m.bert.embeddings.requires_grad_(False)
params = [p for p in m.parameters() if p.requires_grad]
groups = [{'params': [p for p in params if p.ndim > 1], 'weight_decay': a.wd}, {'params': [p for p in params if p.ndim == 1], 'weight_decay': 0}]
opt = torch.optim.AdamW(groups, lr=a.lr, betas=(0.9, 0.98))
total = math.ceil(len(data) / a.bs * a.epochs)
warm = max(1, int(total * 0.06))
step, started, queue = 0, time.time(), []
while True:
    done = max(step / total, (time.time() - started) / 60 / a.minutes)
    if done >= 1:
        break
    queue = queue or batches(data)
    rows = queue.pop()
    for group in opt.param_groups:
        group['lr'] = a.lr * min(1, (step + 1) / warm) * max(0.02, 1 - done)
    pairs = []
    for r in rows:
        flip = r.get('verdict') and not r.get('nli') and random.random() < 0.5
        pairs.append((r['b'], r['a']) if flip else (r['a'], r['b']))
    gold = lambda key, names: torch.tensor([names.index(r[key]) if r.get(key) else -100 for r in rows])
    v, n = m(*[t[:, :a.max_len] for t in batch(tok, pairs)])
    lv = F.cross_entropy(v, gold('verdict', VERDICTS), reduction='none', label_smoothing=a.smooth)
    ln = F.cross_entropy(n, gold('nli', NLI), reduction='none', label_smoothing=a.smooth)
    loss = ((lv + 0.5 * ln) * torch.tensor([r['w'] for r in rows])).sum() / len(rows)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    step += 1
    if step % 20 == 0:
        print(f'{step}/{total} loss {loss.item():.4f} {time.time() - started:.0f} s', flush=True)
torch.save(m.state_dict(), a.out)
print('saved', a.out, flush=True)
