import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPublic } from '../../../shared/engine/webhooks/addresses.ts'
import { DEFAULT_WEBHOOKS } from '../../../shared/engine/webhooks/config.ts'
import { refused } from '../../helpers/errors.ts'
import { openTeam, type Team } from '../../helpers/webhooks.ts'

const INSIDE = [
  '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '169.254.169.254',
  '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1',
  '239.255.255.250', '240.0.0.1', '255.255.255.255',
  '::', '::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'ff0e::1', '100::1', '2001:db8::1', '2001::1',
  '4000::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:93.184.216.34', '::127.0.0.1', '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::1', 'nonsense', '',
] // prettier-ignore
const OUTSIDE = [
  '93.184.216.34', '8.8.8.8', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '128.0.0.1', '169.253.0.1', '172.15.0.1',
  '172.32.0.1', '192.167.1.1', '223.255.255.254', '2606:2800:220:1:248:1893:25c8:1946', '2a00:1450:4001:800::200e',
] // prettier-ignore

describe('an address', () => {
  it('is public or is refused: no loopback, private, link-local, multicast, shared, reserved, and none wrapped in IPv6 [WHK102]', () => {
    expect(INSIDE.filter(isPublic)).toEqual([])
    expect(OUTSIDE.filter((address) => !isPublic(address))).toEqual([])
  })
})

describe('registration', () => {
  let team: Team
  beforeAll(async () => {
    team = await openTeam({ privateHosts: ['inside.test', '10.1.2.3', 'fd00::7'], maxPerNamespace: 100 })
  })
  afterAll(() => team.close())
  const hook = (url: string) => team.hook('', { url })

  it('refuses a name with one address inside, or none, however the URL spells an address [WHK102]', async () => {
    team.names.set('public.test', [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1:248:1893:25c8:1946', family: 6 },
    ])
    team.names.set('half.test', [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ])
    team.names.set('wrapped.test', [{ address: '::ffff:127.0.0.1', family: 6 }])
    team.names.set('empty.test', [])
    team.names.set('localhost', [{ address: '127.0.0.1', family: 4 }])
    await hook('https://public.test/x')
    for (const host of [
      'half.test',
      'wrapped.test',
      'empty.test',
      'unknown.test',
      'localhost',
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:7f00:1]',
      '169.254.169.254',
      '10.0.0.1',
    ]) {
      const error = await refused(hook(`https://${host}/x`), 'ADDRESS_REFUSED')
      expect([host, error.fields]).toEqual([host, { field: 'url' }])
    }
    expect((await refused(hook('https://half.test/x'), 'ADDRESS_REFUSED')).message).not.toContain('10.0.0.1')
  })

  it('takes a host that the operator names, by name or by address [WHK103, CFG008]', async () => {
    expect(DEFAULT_WEBHOOKS.privateHosts).toEqual([])
    team.names.set('inside.test', [{ address: '10.9.9.9', family: 4 }])
    for (const host of ['inside.test', 'INSIDE.test', '10.1.2.3', '[fd00::7]']) await hook(`https://${host}/x`)
    await refused(hook('https://sub.inside.test/x'), 'ADDRESS_REFUSED')
    await refused(hook('https://10.9.9.9/x'), 'ADDRESS_REFUSED')
  })
})
