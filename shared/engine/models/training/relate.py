"""What a model says of pairs: relate.py MODEL.pt|MODEL.onnx OUT_DIR FILE...  (files as normalise.mjs writes them)

Writes a line {similarity, relation} a pair: the cosine of the texts' vectors, and the probabilities at temperature 0.9,
the mean of both orders.
"""
import json, os, sys
import torch
from model import VERDICTS, base, batch, load, tokenizer

TEMPERATURE = 0.9
tok = tokenizer(256)


def vectors(texts, size=64):
    """Unit vectors by text, as all-MiniLM-L6-v2 makes them."""
    bert, found = base().eval(), {}
    texts = sorted(set(texts), key=len)
    with torch.no_grad():
        for i in range(0, len(texts), size):
            ids, mask, types = batch(tok, texts[i:i + size])
            h = bert(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
            weight = mask.unsqueeze(-1).float()
            mean = (h * weight).sum(1) / weight.sum(1)
            found.update(zip(texts[i:i + size], mean / mean.norm(dim=1, keepdim=True)))
    return found


def runner(file):
    if not file.endswith('.onnx'):
        m = load(file).eval()
        return lambda *inputs: m(*inputs)[0]
    import onnxruntime as ort
    session = ort.InferenceSession(file, providers=['CPUExecutionProvider'])
    names = ['input_ids', 'attention_mask', 'token_type_ids']
    return lambda *inputs: torch.tensor(session.run(['logits'], dict(zip(names, [t.numpy() for t in inputs])))[0])


def relations(run, pairs, size=32):
    order, found = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1])), [None] * len(pairs)
    with torch.no_grad():
        for k in range(0, len(order), size):
            some = order[k:k + size]
            both = [run(*batch(tok, [pairs[i][::way] for i in some])) for way in (1, -1)]
            p = sum((logits / TEMPERATURE).softmax(-1) for logits in both) / 2
            for i, row in zip(some, p.tolist()):
                found[i] = dict(zip(VERDICTS, [round(x, 4) for x in row]))
    return found


def main(model, out, *files):
    os.makedirs(out, exist_ok=True)
    run = runner(model)
    for file in files:
        rows = [json.loads(line) for line in open(file, encoding='utf-8')]
        vec = vectors(row[side] for row in rows for side in 'ab')
        said = relations(run, [(row['a'], row['b']) for row in rows])
        with open(os.path.join(out, os.path.basename(file)), 'w', encoding='utf-8') as g:
            for row, relation in zip(rows, said):
                similarity = round(min(1.0, max(0.0, float(vec[row['a']] @ vec[row['b']]))), 4)
                g.write(json.dumps({'id': row.get('id'), 'similarity': similarity, 'relation': relation}) + '\n')
        print(os.path.basename(file), len(rows), flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
