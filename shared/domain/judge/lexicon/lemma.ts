import { WORD_SENSES } from './word-senses.ts'

/** Word forms: what a word is a form of, what it can be, and which words stand for each other. */

/** A word as it stands (lower case) and its dictionary form. */
export interface WordForms {
  readonly text: string
  readonly lemma: string
}

/** How many senses a word has as each part of speech. */
export interface Senses {
  readonly noun: number
  readonly verb: number
  readonly adjective: number
  readonly adverb: number
}

const SENSES: ReadonlyMap<string, Senses> = new Map(
  WORD_SENSES.trim()
    .split(/\s+/)
    .map((entry) => {
      const counts = /\d+$/.exec(entry)?.[0] ?? ''
      const [noun = 0, verb = 0, adjective = 0, adverb = 0] = [...counts].map(Number)
      return [entry.slice(0, entry.length - counts.length), { noun, verb, adjective, adverb }]
    }),
)

function forms(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]),
  )
}

/** Short forms, spellings and near names, each to the word it is read as. */
const SHORT_FORMS = forms(`
  prod=production db=database dbs=database repo=repository repos=repository app=application apps=application
  config=configuration auth=authentication docs=documentation doc=document env=environment mgr=manager
  sso=single-sign-on k8s=kubernetes info=information admin=administrator spec=specification infra=infrastructure
  dept=department hq=headquarters ts=typescript js=javascript py=python msg=message pr=pull-request
  prs=pull-request wifi=wi-fi e-mail=email e-mails=email deployment=deploy deployments=deploy releases=release
  holiday=vacation holidays=vacation switched=turn turned=turn switch=turn phoned=phone shuts=close closes=close
  stg=staging pics=picture approx=about max=maximum min=minimum avg=average qty=quantity tel=phone colour=color
  favourite=favorite organisation=organization labelled=label
`)

const IRREGULAR_FORMS = forms(`
  wrote=write written=write ran=run sent=send kept=keep held=hold built=build paid=pay met=meet left=leave went=go
  gone=go goes=go began=begin begun=begin chose=choose chosen=choose took=take taken=take spoke=speak spoken=speak
  drank=drink ate=eat eaten=eat drove=drive driven=drive knew=know known=know gave=give given=give grew=grow
  grown=grow lost=lose won=win bought=buy sold=sell told=tell said=say thought=think taught=teach caught=catch
  led=lead lies=lie lived=live children=child people=person men=man women=woman feet=foot mice=mouse wives=wife
  better=good best=good worse=bad worst=bad froze=freeze frozen=freeze done=do seen=see saw=see came=come
  became=become made=make sitting=sit running=run using=use used=use uses=use does=do has=have had=have was=be
  were=be is=be are=be been=be dies=die worn=wear wore=wear sang=sing stood=stand fed=feed rode=ride ridden=ride
  threw=throw thrown=throw fell=fall fallen=fall owned=own owner=own owns=own
`)

/** The senses of the dictionary form, or undefined when the word is not a common English one. */
export function sensesOf(lemma: string): Senses | undefined {
  return SENSES.get(lemma)
}

/** True for a dictionary form of a common English word. */
export function isCommonWord(lemma: string): boolean {
  return SENSES.has(lemma)
}

/** Without the doubling before an ending: "running" to "run". */
function undoubled(base: string): string | undefined {
  return /(.)\1$/.test(base) && !/(ss|ll)$/.test(base) ? base.slice(0, -1) : undefined
}

function* basesOf(word: string): Generator<string> {
  if (word.endsWith('ies')) yield `${word.slice(0, -3)}y`
  if (/(s|x|z|ch|sh)es$/.test(word)) yield word.slice(0, -2)
  if (word.endsWith('s') && !/(ss|us|is)$/.test(word)) yield word.slice(0, -1)
  if (word.endsWith('ied')) yield `${word.slice(0, -3)}y`
  for (const ending of ['ing', 'ed']) {
    if (!word.endsWith(ending)) continue
    const base = word.slice(0, -ending.length)
    const single = undoubled(base)
    if (single) yield single
    yield `${base}e`
    yield base
  }
}

/** The dictionary form of a lower-case word; the word itself where none is known. */
export function lemmaOf(word: string): string {
  const bare = word.replace(/'s$|'$/, '')
  const spelled = SHORT_FORMS.get(bare) ?? bare
  const irregular = IRREGULAR_FORMS.get(spelled)
  if (irregular) return irregular
  if (spelled.length < 4 || spelled.length > 40 || !/^[a-z-]+$/.test(spelled)) return spelled
  const verbal = /(ing|ed)$/.test(spelled)
  for (const base of basesOf(spelled)) {
    const senses = base.length > 2 ? SENSES.get(base) : undefined
    if (senses && (senses.verb > 0 || !verbal)) return SHORT_FORMS.get(base) ?? base
  }
  return spelled
}

const DERIVATIONS = /(ization|isation|ational|ation|ition|ment|ness|ings?|ers?|ors?|able|ible|ive|ions?|ally|ly|al|ed|ance|ence)$/

/** A lemma without its derivation: "deployment" and "deploy" share a stem. */
export function stemOf(lemma: string): string {
  if (lemma.length <= 5) return lemma.replace(/e$/, '')
  return lemma
    .replace(DERIVATIONS, '')
    .replace(/(.)\1$/, '$1')
    .replace(/[ey]$/, '')
}

const SYNONYMS: ReadonlySet<string> = new Set(
  `
  shut|close erase|wipe wipe|delete remove|delete begin|start commence|start request|call replace|rotate
  turn|enable vacation|leave employee|staff customer|client buy|purchase settle|pay big|large require|need
  need|want like|prefer prefer|rather ban|forbid prohibit|forbid forbid|disallow obtain|get receive|get live|reside
  job|work repair|fix error|bug fail|break end|finish finish|complete house|home car|automobile doctor|physician
  laptop|notebook mobile|phone cell|phone picture|photo image|picture meeting|call boss|manager lead|head
  chief|head hold|place use|rely run|execute run|operate store|keep store|save save|keep use|employ hire|recruit
  tier|plan subscription|plan quota|limit cap|limit maximum|limit column|character location|place
  staging|preproduction address|location allow|permit allow|let mandatory|require must|require compulsory|mandatory
  obligatory|mandatory show|display ask|request rule|policy speak|talk send|deliver reside|live build|compile
  roughly|about approximately|about around|about everyone|all everybody|all colleague|coworker refill|load lie|live
  locate|live sit|live default|fallback primary|main picture|image pad|cushion cut|slice fry|cook lady|woman
  guy|man kid|child
  `
    .trim()
    .split(/\s+/)
    .flatMap((pair) => [pair, pair.split('|').reverse().join('|')]),
)

/** How nearly two words say the same, 0 to 1: known pairs, shared stems, long shared beginnings. */
export function synonymy(a: WordForms & { stem: string }, b: WordForms & { stem: string }): number {
  if (a.lemma === b.lemma) return 1
  if (SYNONYMS.has(`${a.lemma}|${b.lemma}`)) return 0.95
  if (a.stem === b.stem && a.stem.length > 3) return 0.9
  const near = a.lemma.length >= 6 && b.lemma.length >= 6 && Math.abs(a.lemma.length - b.lemma.length) <= 2
  return near && (a.lemma.startsWith(b.lemma) || b.lemma.startsWith(a.lemma)) ? 0.88 : 0
}
