import { arrange, type LayoutTask } from './layout.ts'

/** Runs beside the window: a layout of thousands of nodes must not hold up a key. */
addEventListener('message', ({ data }: MessageEvent<LayoutTask>) => {
  const places = arrange(data)
  postMessage(places, { transfer: [places.buffer] })
})
