import { join } from 'node:path'
import { ensureCachedFolder, type WriteFile } from './cached-folder.ts'
import type { LoadReport } from './load-report.ts'

const REVISION = 'hub-1'
const REQUIRED = ['config.json', 'tokenizer.json', 'tokenizer_config.json']
const OPTIONAL = ['sentence_bert_config.json', '1_Pooling/config.json']
/** The smaller file first: int8 vectors rank as well as float ones here. */
const MODEL_FILES = ['onnx/model_quantized.onnx', 'onnx/model_int8.onnx', 'onnx/model.onnx']
const NAME = /^[\w-][\w.-]*\/[\w-][\w.-]*$/

/** Whether the name is one of a hub: an owner and a model. */
export function isHubName(name: string): boolean {
  return NAME.test(name) && !name.includes('..')
}

/**
 * Answers the folder with a hub's model, fetched when `cacheDir` has no whole copy; afterwards nothing is asked of the
 * hub again. Throws an Error that names the file and the HTTP status when it cannot be had.
 */
export async function fetchHubModel(cacheDir: string, hub: string, name: string, report: LoadReport): Promise<string> {
  const folder = join(cacheDir, 'hub', ...name.split('/'))
  const fault = await ensureCachedFolder(folder, `${REVISION} ${name}`, async (write) => {
    const step = `fetching ${name}`
    report.progress(step, 0)
    const urlOf = (file: string) => `${hub.replace(/\/+$/, '')}/${name}/resolve/main/${file}`
    for (const file of REQUIRED) {
      if (!(await fetchInto(write, file, urlOf(file)))) throw new Error(`${urlOf(file)} answered 404 Not Found.`)
    }
    for (const file of OPTIONAL) await fetchInto(write, file, urlOf(file))
    await fetchFirst(write, MODEL_FILES, urlOf, (done) => report.progress(step, done))
  })
  if (fault !== null) report.log('info', `fetched ${name} into ${folder}: ${fault}`)
  return folder
}

async function fetchFirst(
  write: WriteFile,
  files: readonly string[],
  urlOf: (file: string) => string,
  onProgress: (done: number) => void,
): Promise<void> {
  for (const file of files) if (await fetchInto(write, file, urlOf(file), onProgress)) return
  throw new Error(`${urlOf('')} has none of ${files.join(', ')}.`)
}

/** Fetches one file; false when the hub does not have it. */
async function fetchInto(write: WriteFile, file: string, url: string, onProgress: (done: number) => void = () => {}): Promise<boolean> {
  const answer = await fetch(url)
  if (answer.status === 404) {
    await answer.body?.cancel()
    return false
  }
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status} ${answer.statusText}.`)
  const total = Number(answer.headers.get('content-length') ?? 0)
  await write(file, counted(answer.body, total, onProgress))
  return true
}

async function* counted(body: AsyncIterable<Uint8Array>, total: number, onProgress: (done: number) => void): AsyncGenerator<Uint8Array> {
  let received = 0
  for await (const chunk of body) {
    received += chunk.byteLength
    if (total > 0) onProgress(Math.min(1, received / total))
    yield chunk
  }
}
