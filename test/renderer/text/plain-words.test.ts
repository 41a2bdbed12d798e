import { describe, expect, it } from 'vitest'
import { highlight, matchedWords } from '../../../renderer/text/highlight.ts'
import { foundBecause, provenanceSentence, relatedBecause, sureness, writerName } from '../../../renderer/text/plain-words.ts'
import { claimText, readableValue } from '../../../renderer/text/value-text.ts'

describe('sureness', () => {
  it('has three words, with the bounds of the design', () => {
    expect([0.85, 0.84, 0.6, 0.59].map(sureness)).toEqual(['Sure', 'Fairly sure', 'Fairly sure', 'Unsure'])
  })
})

describe('provenance', () => {
  const row = {
    actor: 'process:ops',
    agent: 'ops-bot',
    source_class: 'agent',
    source_trace: '',
    source_resource_id: 'docs/deploy.md',
    run_id: '',
  } as const

  it('is one sentence: who, what kind, from where', () => {
    expect(provenanceSentence(row, 'human:local')).toBe('Written by ops-bot, an agent, from docs/deploy.md.')
    expect(
      provenanceSentence({ ...row, source_class: 'user', actor: 'human:local', agent: 'default', source_resource_id: '' }, 'human:local'),
    ).toBe('Written by you.')
    expect(provenanceSentence({ ...row, source_class: 'user', actor: 'human:ada', source_resource_id: '' }, 'human:local')).toBe(
      'Written by ada, as ops-bot.',
    )
  })

  it('names the writer in lists', () => {
    expect(writerName({ actor: 'human:local', agent: 'default' }, 'human:local')).toBe('you')
    expect(writerName({ actor: 'human:ada', agent: '-' }, 'human:local')).toBe('ada')
  })
})

describe('why it was found', () => {
  it('is one line in plain words', () => {
    expect(foundBecause(['words: deploy, friday', 'meaning 0.71'], 2)).toBe('matches deploy and friday; similar meaning; confirmed twice')
    expect(foundBecause(['words: a, b, c', 'meaning 0.41', 'key: prod', 'entity: ada', 'tag: ops'], 1)).toBe(
      'matches a, b and c; related meaning; its key has prod; is about ada; tagged ops; confirmed once',
    )
    expect(foundBecause([], 3)).toBe('confirmed 3 times')
    expect(foundBecause(['something new'], 0)).toBe('something new')
  })

  it('says why a memory stands beside another', () => {
    expect(relatedBecause(['links to: see_also', 'entity: ada, platform', 'key: team/', 'meaning 0.6'])).toBe(
      'linked to: see also; also about ada and platform; also under team/; similar meaning',
    )
    expect(relatedBecause(['linked from: supports', 'triple: Ada leads Platform'])).toBe('linked from there: supports; Ada leads Platform')
  })

  it('marks the words that matched, endings and scripts included', () => {
    const words = matchedWords(['words: deploy, 連絡', 'meaning 0.5'])
    expect(words).toEqual(['deploy', '連絡'])
    const hits = (text: string): string[] =>
      highlight(text, words)
        .filter((piece) => piece.hit)
        .map((piece) => piece.text)
    expect(hits('Every deploy is like other deploys, not employment.')).toEqual(['deploy', 'deploys'])
    expect(hits('本番の連絡先は佐藤さん')).toHaveLength(1)
    const text = 'Deploys, deployed; deploying\n twice'
    expect(
      highlight(text, words)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  })
})

describe('values', () => {
  it('are shown as they are: digits past 2^53 too', () => {
    expect(readableValue('plain')).toEqual({ text: 'plain', kind: 'text' })
    expect(readableValue({ account: 12_345_678_901_234_567_890n }).text).toContain('12345678901234567890')
    expect(claimText({ claim: 'The claim.', more: 1 })).toBe('The claim.')
  })
})
