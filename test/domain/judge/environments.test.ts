import { describe, expect, it } from 'vitest'
import { differentEnvironments } from '../../../shared/domain/judge/environments.ts'

describe('differentEnvironments', () => {
  it.each([
    ['deploy/window/prod', 'deploy/window/staging'],
    ['prod.db.pool', 'dev.db.pool'],
    ['db:production:pool', 'db:qa:pool'],
    ['poolProd', 'poolStaging'],
    ['本番/プール', '開発/プール'],
    ['PROD-pool', 'uat-pool'],
  ])('sets %s and %s apart', (a, b) => {
    expect(differentEnvironments(a, b)).toBe(true)
    expect(differentEnvironments(b, a)).toBe(true)
  })

  it.each([
    ['deploy/window/prod', 'ops/deploys'],
    ['deploy/prod', 'deploy/production'],
    ['stage/db', 'staging/db'],
    ['prod/staging/db', 'staging/db'],
    ['product/name', 'developer/name'],
    ['lab/rules', 'live/rules'],
    ['', ''],
  ])('leaves %s and %s together', (a, b) => {
    expect(differentEnvironments(a, b)).toBe(false)
  })
})
