import { describe, expect, it } from 'vitest'
import { detectSensitivity } from '../../../shared/domain/sensitivity/detect.ts'

// Written in two parts, so that no scanner takes the samples for leaked secrets.
const secret = (head: string, tail: string) => head + tail

describe('detectSensitivity', () => {
  it.each([
    ['an AWS key', secret('AKIA', 'IOSFODNN7EXAMPLE')],
    ['an AWS secret by name', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ['a GitHub token', `use ${secret('ghp_', '16C7e42F292c6912E7710c838347Ae178B4a')} for CI`],
    ['a fine-grained GitHub token', secret('github_pat_', '11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz')],
    ['a GitLab token', secret('glpat-', 'x8Fy2mQpL0sTzVbNkR4w')],
    ['a Slack token', secret('xoxb-', '123456789012-abcdefABCDEF')],
    ['a Stripe key', secret('sk_live_', '4eC39HqLyjWDarjtT1zdp7dc')],
    ['an OpenAI key', secret('sk-', 'proj-abcdefghijklmnopqrstuvwxyz012345')],
    ['a Google key', secret('AIza', 'SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY')],
    ['an npm token', secret('npm_', 'abcdefghijklmnopqrstuvwxyz0123456789')],
    ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'],
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE'],
    ['a login in an address', 'postgres://app:s3cr3t@db.internal:5432/app'],
    ['a bearer header', 'Authorization: Bearer 9af1c2e4b7d84c0f8a6e'],
    ['a named API key', 'The weather API key is 4f9a8b7c6d5e4f3a2b1c'],
    ['a stated password', 'The admin password is hunter2'],
    ['a password that is a word', 'wifi password: swordfish'],
    ['a password that is stated', 'The alarm passcode is swordfish.'],
    ['a German password', 'Das Passwort lautet Sommer2024!'],
    ['a passphrase for something', 'Passphrase for the backup drive = correct-horse-7'],
  ])('finds %s: high [KEY032]', (_, text) => {
    expect(detectSensitivity(text)).toBe('high')
  })

  it.each([
    ['a Visa card', 'Pay with 4111 1111 1111 1111.'],
    ['a Mastercard', 'card 5555-5555-5555-4444, exp 12/29'],
    ['an American Express', '378282246310005'],
    ['a social security number', 'His SSN: 123-45-6789'],
    ['one without dashes that is named', 'social security number 123456789'],
    ['a stated PIN', 'The PIN for the safe is 4821'],
    ['a PIN code', 'pin code: 90210'],
    ['a PIN said the other way round', '4821 is my PIN'],
  ])('finds %s: high [KEY032]', (_, text) => {
    expect(detectSensitivity(text)).toBe('high')
  })

  it.each([
    ['an email address', 'Write to ana.silva+loom@example.co.uk'],
    ['an international phone number', 'Ring +49 30 901820'],
    ['an American phone number', 'Call (415) 555-2671 after five'],
    ['a phone number by name', 'Telefon: 030 901 820 44'],
    ['an IBAN', 'IBAN DE89 3704 0044 0532 0130 00'],
    ['an IBAN in a sentence', 'Rent goes to GB29NWBK60161331926819 each month'],
  ])('finds %s: medium [KEY034]', (_, text) => {
    expect(detectSensitivity(text)).toBe('medium')
  })

  it.each([
    'Production deploys run Tuesday and Thursday only; never Friday.',
    'The password policy: at least 12 characters, one digit.',
    'The password is required on every login.',
    'The password is stored in the vault.',
    'Password: required',
    "Prod's DB password is unique; no other environment uses it.",
    'The password is company policy, not a secret.',
    'Passwords are hashed with argon2id.',
    'The token expires after 30 minutes.',
    'API keys are rotated every 90 days.',
    'Set API_KEY=${API_KEY} in the environment.',
    'postgres://user:${PASSWORD}@host/db is the template',
    'GPIO pin 13 drives the relay.',
    'Version 1790000000000000001 is the newest.',
    'Order 4111111111111112 was shipped.',
    'Released on 2024-11-05, build 20241105.',
    'The meeting is on 555-12 street',
    'The server listens on 127.0.0.1:8080.',
    'Invoice 123-456 is paid.',
    'Der Umsatz betrug 10.000.000 Euro.',
    '@ana reviews the pull request #4821',
    '',
  ])('leaves %j alone', (text) => {
    expect(detectSensitivity(text)).toBe('')
  })

  it('puts a secret above an address beside it', () => {
    expect(detectSensitivity('ana@example.com, password is hunter2')).toBe('high')
  })
})
