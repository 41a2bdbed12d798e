import { tokenize } from './tokens.ts'

/** Words that never belong into a key. */
const FILLERS = new Set(
  `a an the this that these those my our your his her its their of in on at by for to from with and or not no only just
  there it we i you he she they who which when where what how very all any each every some also please note remember
  el la los las un una unos unas de del en con y o que su sus mi nuestro le les des du au aux et ou dans sur pour der
  die das den dem des ein eine einer und oder im in am zu zum zur mit von für il lo gli uno di da e`.split(/\s+/),
)

/** Words that end the subject of a claim: what stands before them is what the claim is about. */
const VERBS = new Set(
  `is are was were be been being am has have had do does did will would can could may might must shall should run runs
  use uses used need needs take takes go goes move moves start starts end ends open opens close closes live lives own
  owns work works happen happens expire expires belong belongs change changes require requires prefer prefers like
  likes want wants speak speaks times costs cost serve serves keep keeps stay stays return returns default defaults
  announce announced says say lies lie stands stand roll es son está están fue era tiene tienen usa hay ist sind war
  hat haben wird werden est sont était a ont utilise è sono ha hanno は が を も`.split(/\s+/),
)

const isWord = (word: string): boolean => /[\p{L}\p{N}]/u.test(word)
/** Particles of Japanese stand alone in Hiragana; they carry no meaning of their own. */
const isParticle = (word: string): boolean => /^\p{Script=Hiragana}{1,2}$/u.test(word)

function toSegments(word: string): string[] {
  return word
    .normalize('NFC')
    .toLowerCase()
    .split(/[/\s]+|(?<=\p{L})['’](?=\p{L})/u)
    .map((part) => part.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '').replace(/^[._-]+|[._-]+$/g, ''))
    .filter((part) => part && part !== 's')
}

/**
 * Keys a person would give this claim, best first, at most three: what the claim is about, from the words before its
 * verb. Empty when the text has no word.
 */
export function suggestKeys(text: string): string[] {
  const subject: string[] = []
  const rest: string[] = []
  let afterVerb = false
  for (const { word } of tokenize(text.slice(0, 400))) {
    const plain = word.toLowerCase()
    if (VERBS.has(plain)) afterVerb ||= subject.length > 0
    else if (isWord(word) && !FILLERS.has(plain) && !isParticle(word)) (afterVerb ? rest : subject).push(...toSegments(word))
    else if (/[.;:!?。；：！？]/.test(word) && subject.length) afterVerb = true
    if (rest.length >= 4) break
  }
  const words = [...new Set(afterVerb && subject.length > 1 ? subject : [...subject, ...rest.slice(0, 2)])]
  if (!words.length) return []
  const first = words.slice(0, 3)
  const object = rest.find((word) => !first.includes(word))
  const keys = [first.join('/'), words.length > 2 ? words.slice(-2).join('/') : '', object ? [...first.slice(0, 2), object].join('/') : '']
  return [...new Set(keys.filter((key) => key && key.length <= 120))]
}
