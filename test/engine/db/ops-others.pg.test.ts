import { describeOnPostgres } from './on-postgres.ts'

describeOnPostgres(import.meta.glob<unknown>(['../../ops/**/*.test.ts', '!../../ops/memory/**']))
