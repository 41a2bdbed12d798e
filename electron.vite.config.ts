import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { fileURLToPath } from 'node:url'

const source = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Everything that runs in Node lands flat in `out/main`, so that one built file finds another beside itself. */
const entries = {
  index: source('main/index.ts'),
  'engine-process': source('main/engine-process.ts'),
  'recovery-process': source('main/recovery-process.ts'),
  headless: source('main/headless.ts'),
  prepare: source('main/prepare.ts'),
  cli: source('main/cli/index.ts'),
  'model-worker': source('shared/engine/models/worker.ts'),
  'document-worker': source('shared/engine/documents/worker.ts'),
  'sync-server': source('sync-server/index.ts'),
}

/** transformers.js loads sharp to read pictures. Loom reads none, and is 30 MB smaller in memory without. */
const withoutPictures = {
  name: 'without-pictures',
  enforce: 'pre' as const,
  resolveId: (id: string) => (id === 'sharp' ? '\0sharp' : null),
  load: (id: string) => (id === '\0sharp' ? "export default () => { throw new Error('Loom reads no pictures.') }" : null),
}

export default defineConfig({
  main: {
    plugins: [withoutPictures],
    build: {
      // Not electron-vite's guess from Electron's version: headless, the CLI and the server run on plain Node 20 too.
      target: 'node20',
      sourcemap: true,
      // What package.json calls a dependency stays where npm put it: it brings native code, WebAssembly or files of its own,
      // or is read when it is first needed. All the rest goes into our own files, and no package into the app twice:
      // finding and reading 500 files would be a fifth of a start.
      externalizeDeps: true,
      rolldownOptions: {
        input: entries,
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // Every start reads it whole. Names stay: an error of somebody's log is to be understood.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  },
  preload: {
    build: {
      target: 'node20',
      // A sandboxed preload is a plain script, and the package is `type: module`: hence CommonJS, named so.
      rolldownOptions: { input: { preload: source('main/preload.ts') }, output: { format: 'cjs', entryFileNames: '[name].cjs' } },
    },
  },
  renderer: {
    root: source('renderer'),
    plugins: [react()],
    // Nothing as a data: address, which the content security policy refuses for fonts.
    build: { target: 'es2022', minify: true, assetsInlineLimit: 0, rolldownOptions: { input: { index: source('renderer/index.html') } } },
  },
})
