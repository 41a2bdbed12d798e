import { describe, expect, test } from 'vitest'
import { readCommand } from '../../sync-server/command-line.ts'

const read = (line: string) => readCommand(line === '' ? [] : line.split(' '))

describe('loom server', () => {
  test.each(['', 'serve'])('%j serves', (line) => expect(read(line)).toEqual({ name: 'serve' }))

  test.each(['help', '--help', '-h', 'mint-token --help'])('%j explains', (line) => expect(read(line)).toEqual({ name: 'help' }))

  test('erasure reapply names the ledger to take', () => {
    expect(read('erasure reapply --from kept.jsonl')).toEqual({ name: 'reapply', from: 'kept.jsonl' })
    for (const line of ['erasure', 'erasure reapply', 'erasure forget --from x', 'erasure reapply --form x'])
      expect(read(line)).toMatchObject({ name: 'wrong' })
  })

  test.each([
    ['mint-token --org acme --admin', { org: 'acme', role: 'org_admin', subject: 'admin', kind: 'human' }],
    ['mint-token --admin --org=acme --subject ci --kind process', { org: 'acme', role: 'org_admin', subject: 'ci', kind: 'process' }],
    ['mint-token --platform', { org: '*', role: 'platform_admin', subject: 'admin', kind: 'human' }],
    ['mint-token --platform --org acme', { org: 'acme', role: 'platform_admin', subject: 'admin', kind: 'human' }],
  ] as const)('%j mints', (line, options) => expect(read(line)).toEqual({ name: 'mint-token', options }))

  test.each([
    ['backup', { name: 'backup', label: '' }],
    ['backup --label weekly', { name: 'backup', label: 'weekly' }],
    ['backup list', { name: 'backup-list' }],
    ['backup restore bk_1 --confirm bk_1', { name: 'backup-restore', backupId: 'bk_1' }],
  ] as const)('%j backs up', (line, command) => expect(read(line)).toEqual(command))

  test.each([
    ['backup restore', /needs the id/],
    ['backup restore bk_1', /--confirm/],
    ['backup restore bk_1 --confirm bk_2', /--confirm/],
    ['backup restore bk_1 bk_2', /no argument/],
    ['backup lst', /no command/],
    ['backup list x', /no command/],
    ['backup --keep 3', /keep/],
  ] as const)('%j is typed wrong', (line, reason) =>
    expect(read(line)).toMatchObject({ name: 'wrong', reason: expect.stringMatching(reason) as string }),
  )

  test.each([
    ['pair', { subject: 'admin', kind: 'human', grants: { '*': 'org_admin' }, minutes: 60 }],
    [
      'pair --org acme --subject bot --kind process --grant chat=writer --grant ops=viewer --minutes 10080',
      { org: 'acme', subject: 'bot', kind: 'process', grants: { chat: 'writer', ops: 'viewer' }, minutes: 10_080 },
    ],
    ['pair --grant *=viewer', { subject: 'admin', kind: 'human', grants: { '*': 'viewer' }, minutes: 60 }],
  ] as const)('%j pairs', (line, options) => expect(read(line)).toEqual({ name: 'pair', options }))

  test.each([
    ['pair --org dev', /dev/],
    ['pair --kind robot', /--kind/],
    ['pair --grant chat', /NAMESPACE=ROLE/],
    ['pair --grant chat=owner', /NAMESPACE=ROLE/],
    ['pair --grant chat=org_admin', /NAMESPACE=ROLE/],
    ['pair --minutes 0', /--minutes/],
    ['pair --minutes 10081', /--minutes/],
    ['pair now', /now/],
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
