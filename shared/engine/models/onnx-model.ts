import {
  AutoModel,
  AutoModelForSequenceClassification,
  AutoTokenizer,
  env,
  LogLevel,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  Tensor,
} from '@huggingface/transformers'
import type { ModelFile } from './embedding-source.ts'

/** A model of transformers.js with its tokenizer. */
export interface OnnxModel {
  readonly tokenizer: PreTrainedTokenizer
  /** Runs the model on rows of equal length; `types` are the segment ids. Answers the output tensors by name. */
  run(ids: readonly (readonly number[])[], types: readonly (readonly number[])[] | null): Promise<Record<string, Tensor>>
  dispose(): Promise<void>
}

/** What a model is loaded for, which decides the outputs that transformers.js expects of it. */
export type Task = 'embedding' | 'classification'

// Nothing is ever fetched by the library: names of a hub are resolved to folders before they come here.
env.allowRemoteModels = false
env.allowLocalModels = true
env.useFSCache = false
env.useCustomCache = true
// A failed inference throws; the library would also print the text's word pieces.
env.logLevel = LogLevel.NONE

/** Loads a model from its folder. Throws when a file is missing or damaged, or the runtime refuses it. */
export async function loadOnnxModel(folder: string, file: ModelFile, task: Task, threads: number): Promise<OnnxModel> {
  // Told where the weights lie, the library leaves them to the runtime; else it reads the file whole into memory too, unused.
  env.customCache = { match: async (name) => (name.endsWith('.onnx') ? file.path : undefined), put: async () => {} }
  const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true })
  const loader = task === 'embedding' ? AutoModel : AutoModelForSequenceClassification
  const model: PreTrainedModel = await loader.from_pretrained(folder, {
    local_files_only: true,
    subfolder: file.subfolder,
    dtype: file.dtype,
    device: 'cpu',
    // The runtime's own pools keep the room of its largest input for good: 20 MB, and no run is quicker for them.
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1, enableCpuMemArena: false, enableMemPattern: false },
  })
  return {
    tokenizer,
    async run(ids, types) {
      const inputs: Record<string, Tensor> = {
        input_ids: integerTensor(ids),
        attention_mask: integerTensor(ids.map((row) => row.map(() => 1))),
      }
      if (types !== null) inputs['token_type_ids'] = integerTensor(types)
      return (await model(inputs)) as Record<string, Tensor>
    },
    async dispose() {
      await model.dispose()
    },
  }
}

function integerTensor(rows: readonly (readonly number[])[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0]?.length ?? 0])
}
