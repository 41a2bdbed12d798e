import { describe, expect, test } from 'vitest'
import { readCommand } from '../../sync-server/command-line.ts'

const read = (line: string) => readCommand(line === '' ? [] : line.split(' '))

describe('loom server', () => {
  test.each(['', 'serve'])('%j serves', (line) => expect(read(line)).toEqual({ name: 'serve' }))

  test.each(['help', '--help', '-h', 'mint-token --help'])('%j explains', (line) => expect(read(line)).toEqual({ name: 'help' }))

  test.each(['pair', 'backup', 'erasure reapply'])('%j comes with a later release', (line) =>
    expect(read(line)).toMatchObject({ name: 'later' }),
  )

  test.each([
    ['mint-token --org acme --admin', { org: 'acme', role: 'org_admin', subject: 'admin', kind: 'human' }],
    ['mint-token --admin --org=acme --subject ci --kind process', { org: 'acme', role: 'org_admin', subject: 'ci', kind: 'process' }],
    ['mint-token --platform', { org: '*', role: 'platform_admin', subject: 'admin', kind: 'human' }],
    ['mint-token --platform --org acme', { org: 'acme', role: 'platform_admin', subject: 'admin', kind: 'human' }],
  ] as const)('%j mints', (line, options) => expect(read(line)).toEqual({ name: 'mint-token', options }))

  test.each([
    ['mint-token', /--admin and --platform/],
    ['mint-token --admin', /--org/],
    ['mint-token --org acme', /--admin and --platform/],
    ['mint-token --org acme --admin --platform', /one of --admin and --platform/],
    ['mint-token --org dev --admin', /dev/],
    ['mint-token --org Acme --admin', /no name of an org/],
    ['mint-token --org * --admin', /no name of an org/],
    ['mint-token --org acme --admin --kind robot', /--kind/],
    ['mint-token --org acme --admin --role viewer', /--role/],
    ['mint-token acme --admin', /acme/],
    ['serve now', /now/],
    ['sevre', /sevre/],
  ])('%j is typed wrong, and it says why', (line, reason) => {
    const command = read(line)
    expect(command).toMatchObject({ name: 'wrong', reason: expect.stringMatching(reason) as string })
  })
})
