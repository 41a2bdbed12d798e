/** One Server-Sent Event. */
export interface EventFrame {
  /** `message` where the stream names none. */
  readonly event: string
  readonly data: string
}

function readFrame(text: string): EventFrame | null {
  let event = 'message'
  const data: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const found = /^(event|data):\s?(.*)$/s.exec(line)
    if (found?.[1] === 'event') event = found[2] ?? ''
    else if (found?.[1] === 'data') data.push(found[2] ?? '')
  }
  return data.length > 0 ? { event, data: data.join('\n') } : null
}

/** Cuts a stream of Server-Sent Events, fed in pieces, into events; comments and what is not whole yet are none. */
export function createFrameCutter(): (piece: string) => EventFrame[] {
  let held = ''
  return (piece) => {
    const frames = (held + piece).split(/\r?\n\r?\n/)
    held = frames.pop() ?? ''
    return frames.flatMap((frame) => readFrame(frame) ?? [])
  }
}

/** What a stream of decoded text gives to read. */
interface TextReader {
  read(): Promise<{ readonly done: boolean; readonly value?: string | undefined }>
}

/** Reads the events of a text until it ends. */
export async function readFrames(reader: TextReader, onFrame: (frame: EventFrame) => void): Promise<void> {
  const cut = createFrameCutter()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) for (const frame of cut(chunk.value ?? '')) onFrame(frame)
}
