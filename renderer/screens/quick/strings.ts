export const QUICK = {
  write: 'Write a memory',
  search: 'Quick search',
  close: 'Close',
  field: 'Search by meaning or by words',
  results: 'Memories found',
  empty: 'Type a few words. Enter opens the memory in Loom.',
  nothing: 'Nothing found. Try other words, or fewer.',
  failed: 'Loom does not answer now. It is asked again with the next key.',
  wordsOnly: 'Found by words only: the meaning model is not there yet.',
  in: (namespace: string) => `in ${namespace}`,
  everywhere: 'in every namespace',
}
