"""Averages two sets of weights: average.py BEFORE.pt AFTER.pt SHARE_OF_AFTER OUT.pt"""
import sys
import torch

before, after, share, out = sys.argv[1:]
a, b = (torch.load(file, map_location='cpu') for file in (before, after))
w = float(share)
torch.save({k: (1 - w) * a[k].float() + w * b[k].float() if a[k].is_floating_point() else a[k] for k in a}, out)
