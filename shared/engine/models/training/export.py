"""Exports a trained pair judge to ONNX and quantises it to int8: export.py MODEL.pt OUT_DIR

Writes OUT_DIR/onnx/model_quantized.onnx, tokenizer files and config.json in the layout that transformers.js reads.
"""
import json, os, shutil, sys
import numpy as np
import onnxruntime as ort
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from model import VERDICTS, base_dir, batch, load, tokenizer

source, out = sys.argv[1:3]
os.makedirs(os.path.join(out, 'onnx'), exist_ok=True)
whole, prepared, quantised = (os.path.join(out, 'onnx', f'model_{name}.onnx') for name in ('fp32', 'pre', 'quantized'))
m = load(source).eval()
inputs = batch(tokenizer(), [('The limit is 5.', 'The limit is 6 users.'), ('a', 'b')])
names = ['input_ids', 'attention_mask', 'token_type_ids']
axes = {name: {0: 'batch', 1: 'tokens'} for name in names} | {name: {0: 'batch'} for name in ('logits', 'nli')}
torch.onnx.export(m, inputs, whole, input_names=names, output_names=['logits', 'nli'], dynamic_axes=axes, opset_version=17, dynamo=False)
quant_pre_process(whole, prepared, skip_symbolic_shape=True)
quantize_dynamic(prepared, quantised, weight_type=QuantType.QInt8, per_channel=True, reduce_range=False, op_types_to_quantize=['MatMul', 'Gather', 'Gemm'])
os.remove(prepared)
for file in ('tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'):
    shutil.copy(os.path.join(base_dir(), file), out)
config = json.load(open(os.path.join(base_dir(), 'config.json')))
for key in ('_name_or_path', 'transformers_version'):
    config.pop(key, None)
labels = {'id2label': {str(i): v for i, v in enumerate(VERDICTS)}, 'label2id': {v: i for i, v in enumerate(VERDICTS)}, 'num_labels': len(VERDICTS)}
json.dump({**config, 'architectures': ['BertForSequenceClassification'], **labels}, open(os.path.join(out, 'config.json'), 'w'), indent=2)
with torch.no_grad():
    expected = m(*inputs)[0].numpy()
for file in (whole, quantised):
    found = ort.InferenceSession(file, providers=['CPUExecutionProvider']).run(None, dict(zip(names, [t.numpy() for t in inputs])))
    print(os.path.basename(file), os.path.getsize(file), 'largest difference', float(np.abs(found[0] - expected).max()))
