import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { foldCase, withoutMarks } from '../../../shared/domain/text/fold-case.ts'
import { needs } from '../../helpers/requirements.ts'

/** What Python knows of every code point that it has: those that combine, and those that case folding changes. */
const SCRIPT = `
import sys, json, unicodedata
points = [c for c in range(0x110000) if not 0xd800 <= c <= 0xdfff and unicodedata.category(chr(c)) != 'Cn']
print(json.dumps({'version': unicodedata.unidata_version, 'points': len(points), 'assigned': points,
  'combining': [c for c in points if unicodedata.combining(chr(c))],
  'folds': {c: chr(c).casefold() for c in points if chr(c).casefold() != chr(c)}}))
`

interface Known {
  readonly version: string
  readonly assigned: readonly number[]
  readonly combining: readonly number[]
  readonly folds: Readonly<Record<string, string>>
}

const python = spawnSync('python3', ['-c', SCRIPT], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
const available = python.status === 0
const known = available ? (JSON.parse(python.stdout) as Known) : null

describe(
  'the tables of Unicode',
  needs({ available, reason: available ? '' : 'no python3 on PATH, whose unicodedata is the check (apt-get install python3)' }),
  () => {
    it('[REC025][REC030] hold every combining character that Python knows, and no other', () => {
      const marks = new Set(known?.combining)
      const wrong = known?.assigned.filter((point) => {
        const bare = withoutMarks(String.fromCodePoint(point))
        return bare !== (marks.has(point) ? '' : String.fromCodePoint(point))
      })
      expect(known?.combining.length).toBeGreaterThan(800)
      expect(wrong).toEqual([])
    })

    it('[REC024][REC028] fold the case of every character as Python does', () => {
      expect(Object.keys(known?.folds ?? {}).length).toBeGreaterThan(1400)
      const wrong = known?.assigned.filter((point) => {
        const character = String.fromCodePoint(point)
        return foldCase(character) !== (known.folds[String(point)] ?? character)
      })
      expect(wrong).toEqual([])
    })
  },
)

describe('case folding', () => {
  it('leaves no letter that folding would change again, and has no Turkic rule', () => {
    const once = ['Straße', 'ΟΔΟΣ', 'ﬃ', 'İ', 'I', 'ı', 'Ꭰ', 'ꭰ', 'ŉ'].map(foldCase)
    expect(once).toEqual(['strasse', 'οδοσ', 'ffi', 'i\u0307', 'i', 'ı', 'Ꭰ', 'Ꭰ', '\u02bcn'])
    expect(once.map(foldCase)).toEqual(once)
  })
})
