import { describeOnPostgres } from './on-postgres.ts'

describeOnPostgres(import.meta.glob<unknown>('../../ops/memory/**/*.test.ts'))
