import type { Analysis } from '../analyse.ts'
import { bigramOverlap } from '../bigrams.ts'
import { compareValues, type ValuePair } from '../compare-values.ts'
import type { Evidence, Finding } from '../finding.ts'
import { valuesDiffer } from '../wording.ts'

/** Japanese, Chinese and Korean: no word boundaries, so claims are compared character by character. */

type CjkScript = 'ja' | 'zh' | 'ko'

const NEGATION: Readonly<Record<CjkScript, RegExp>> = {
  ja: /ない|ません|なく|禁止|ぬ(?=。|$)|不可|ず(?=に|、|。|$)|非対応|未対応/g,
  zh: /不(?!同|过|断|仅|但)|没有?|未|无|禁止|别|勿|非/g,
  ko: /않|없|못하|못 |아니|금지|말아|안 |불가|마세요|말 것/g,
}

/** The topic of a sentence ends here. */
const CHINESE_TOPIC_END = /是|由|在|负责|使用|需要|不|有|的|每|为|能|可|只|必须/
const JAPANESE_TOPIC_END = /は|が(?!、)/
const PARTICLES = /^[はがのを\s]*$/
const NO_VALUE = /^(実施|行|です|ます|で|に|を|する|した|を?実施|도|은|는|에|를)/

interface Segment {
  readonly text: string
  readonly at: number
}

/** Where two strings differ: pairs of stretches, of which one may be empty, and the length of what they share. */
function differingSegments(a: string, b: string): { segments: (readonly [Segment, Segment])[]; shared: number } {
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] as number
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const segments: (readonly [Segment, Segment])[] = []
  let [i, j, fromA, fromB] = [0, 0, 0, 0]
  const close = () => {
    if (i > fromA || j > fromB)
      segments.push([
        { text: a.slice(fromA, i), at: fromA },
        { text: b.slice(fromB, j), at: fromB },
      ])
  }
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      close()
      fromA = ++i
      fromB = ++j
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) i++
    else j++
  }
  close()
  return { segments, shared: at(0, 0) }
}

function topicEnd(script: CjkScript, spaced: string): number {
  if (script === 'ko') {
    let end = 0
    for (const word of spaced.split(' ')) {
      end += word.length
      if (word.length > 1 && /[은는이가]$/.test(word)) return end - 1
    }
    return 0
  }
  return Math.max(0, spaced.replaceAll(' ', '').search(script === 'ja' ? JAPANESE_TOPIC_END : CHINESE_TOPIC_END))
}

const MAX_COMPARED = 300

function evidence(rule: string, finding: Exclude<Finding, 'same'>, reason: string): Evidence {
  return { rule, finding, reason }
}

const RESTATES = evidence('cjk-same', 'restates', 'Same fact in other words.')

/** One short stretch of the predicate was replaced, and nothing to speak of added. */
function replacedStretch(segments: readonly (readonly [Segment, Segment])[]): readonly [Segment, Segment] | undefined {
  const replaced = segments.filter(([x, y]) => x.text && y.text)
  const added = segments.some(([x, y]) => (!x.text || !y.text) && x.text.length + y.text.length > 1)
  const [only] = replaced
  if (!only || replaced.length > 1 || added) return undefined
  return only[0].text.length <= 4 && only[1].text.length <= 4 && !NO_VALUE.test(only[0].text) ? only : undefined
}

/** The verdict of the rules over two claims in one of these scripts. */
export function compareCjk(a: Analysis, b: Analysis, script: CjkScript): Evidence {
  const [x, y] = [a.canonical.replaceAll(' ', ''), b.canonical.replaceAll(' ', '')]
  const bigrams = bigramOverlap(a.canonical, b.canonical)
  const nothing = evidence('cjk-unrelated', 'clear', 'About different things.')
  if (x.length > MAX_COMPARED || y.length > MAX_COMPARED) return bigrams > 0.5 ? RESTATES : nothing
  const { segments, shared } = differingSegments(x, y)
  const ratio = (2 * shared) / Math.max(1, x.length + y.length)
  if (bigrams <= 0.3 && ratio <= 0.5) return nothing
  const [endA, endB] = [topicEnd(script, a.canonical), topicEnd(script, b.canonical)]
  const values = compareValues(a, b)
  const inTopic = ([v, w]: ValuePair) => {
    const [p, q] = [x.indexOf(v.raw.replaceAll(' ', '')), y.indexOf(w.raw.replaceAll(' ', ''))]
    return p >= 0 && p < endA && q >= 0 && q < endB
  }
  const otherTopic = ratio > 0.6 && segments.some(([p, q]) => p.text && q.text && p.at < endA && q.at < endB && !PARTICLES.test(p.text))
  if (otherTopic || values.differing.some(inTopic)) return evidence('cjk-subject', 'clear', 'Subjects differ.')
  const value = values.differing[0]
  if (value) return evidence('cjk-value', 'contradicts', valuesDiffer(value))
  const denials = (text: string) => text.match(NEGATION[script])?.length ?? 0
  if (denials(x) % 2 !== denials(y) % 2 && (ratio > 0.55 || bigrams > 0.4)) {
    return evidence('cjk-denial', 'contradicts', 'One claim denies what the other says.')
  }
  const replaced = ratio > 0.78 ? replacedStretch(segments) : undefined
  if (replaced) return evidence('cjk-replaced', 'contradicts', `Values differ: ${replaced[1].text} against ${replaced[0].text}.`)
  return compareContent(x, y, ratio, shared, bigrams, values)
}

function compareContent(
  x: string,
  y: string,
  ratio: number,
  shared: number,
  bigrams: number,
  values: ReturnType<typeof compareValues>,
): Evidence {
  const { equal, onlyA, onlyB } = values
  const difference = Math.abs(x.length - y.length)
  if (equal.length && !onlyA.length && !onlyB.length && ratio > 0.4) return RESTATES
  if (onlyA.length !== onlyB.length && difference > 3) return evidence('cjk-more', 'refines', 'One claim says more than the other.')
  if (ratio > 0.7 && difference / Math.max(x.length, y.length) < 0.3) return RESTATES
  if (ratio > 0.6 && (x.length - shared <= 2 || y.length - shared <= 2)) {
    return evidence('cjk-contained', 'refines', 'One claim is contained in the other.')
  }
  return ratio > 0.65 || bigrams > 0.45 ? RESTATES : evidence('cjk-unrelated', 'clear', 'About different things.')
}
