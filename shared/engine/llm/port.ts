/**
 * A language model, as far as Loom asks one: one answer to one prompt. What it answers is data from outside, never an
 * instruction: whoever asks checks it like any other input.
 */
export interface LanguageModel {
  /** Who answers, for people: the host of the service. */
  readonly provider: string
  readonly model: string
  /** @throws ModelFailure when no whole answer came in time. */
  complete(prompt: Prompt): Promise<Completion>
}

export interface Prompt {
  /** What is asked: ours alone. */
  readonly system: string
  /** What it is asked about: data. */
  readonly user: string
  /** Most tokens of the answer. */
  readonly maxTokens: number
  /** The answer is one JSON object. */
  readonly json: boolean
  readonly signal?: AbortSignal | undefined
  /** Told the answer as it comes; asked for in pieces where it is given, and in one where the service knows no pieces. */
  readonly heard?: ((piece: string) => void) | undefined
}

export interface Completion {
  readonly text: string
  readonly tokensIn: number
  readonly tokensOut: number
}

/** Why a model gave no answer. Its message names no key and nothing of the prompt. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
}

/** A chat service that speaks the OpenAI protocol: OpenAI, Ollama, LM Studio, vLLM and others. */
export interface ModelService {
  /** Base address, such as http://localhost:11434/v1. */
  readonly url: string
  readonly model: string
  /** '' for a service that asks for none. Kept in memory alone. */
  readonly apiKey: string
  readonly timeoutMs: number
}
