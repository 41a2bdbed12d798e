import { contextBridge, ipcRenderer } from 'electron'

/** All that the page can reach: one call to the engine, and what it tells. */
contextBridge.exposeInMainWorld('loom', {
  call: (op: string, input: unknown, meta?: unknown): Promise<unknown> => ipcRenderer.invoke('loom:call', op, input, meta),
  listen(listener: (event: unknown) => void): () => void {
    const pass = (_: unknown, event: unknown) => listener(event)
    ipcRenderer.on('loom:event', pass)
    return () => void ipcRenderer.off('loom:event', pass)
  },
})
