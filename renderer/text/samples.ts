/** A small invented team in four languages, with one conflict to settle. Nobody in it is real. */
export interface Sample {
  readonly memory_key: string
  readonly value: string
  readonly tags: readonly string[]
}

/** Where every sample says that it comes from: by this they are told from a person's own, and taken out whole. */
export const SAMPLE_TRACE = 'loom:samples'
export const SAMPLE_TAG = 'sample'

export const SAMPLES: readonly Sample[] = [
  { memory_key: 'team/oncall/rotation', value: 'The on-call week runs from Monday 09:00 to Monday 09:00.', tags: ['team'] },
  { memory_key: 'cliente/rivera/contacto', value: 'La persona de contacto en Rivera es Marta Ruiz.', tags: ['clients'] },
  { memory_key: 'デプロイ/連絡先', value: '本番デプロイの連絡先は佐藤さん。', tags: ['deploy'] },
  {
    memory_key: 'deploy/window/prod',
    value: 'Production deploys run Tuesday and Thursday only; never Friday.',
    tags: ['deploy', 'policy'],
  },
  { memory_key: 'deploy/friday', value: 'Production deploys run on Friday too.', tags: ['deploy'] },
  {
    memory_key: 'deploy/notify/channel',
    value: 'Every production deploy is announced in #releases ten minutes before it starts.',
    tags: ['deploy'],
  },
  {
    memory_key: 'runbook/rollback/payments',
    value: 'Roll back payments with the previous image tag; the schema stays.',
    tags: ['runbook'],
  },
  { memory_key: 'équipe/paris/salle', value: 'La salle Ampère est réservée le mardi matin.', tags: ['team'] },
  { memory_key: 'style/commits', value: 'Commit messages start with a verb and name no ticket.', tags: ['style'] },
  { memory_key: 'office/berlin/hours', value: 'The office in Berlin opens at eight.', tags: ['office'] },
  { memory_key: 'billing/retry/limit', value: 'Retry a failed charge three times, then stop.', tags: ['billing'] },
  { memory_key: 'ci/cache/key', value: 'The build cache key includes the lockfile and the Node version.', tags: ['ci'] },
]
