import { isCommonWord, type WordForms } from './lemma.ts'

/** Words that exclude one another: opposites, and members of a class of which a thing has one. */

function pairs(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const map = new Map<string, Set<string>>()
  const add = (x: string, y: string) => map.set(x, (map.get(x) ?? new Set()).add(y))
  for (const pair of text.trim().split(/\s+/)) {
    const [x = '', y = ''] = pair.split('|')
    add(x, y)
    add(y, x)
  }
  return map
}

const OPPOSITES = pairs(`
  on|off enable|disable enabled|disabled before|after first|last first|final minimum|maximum broken|fine
  broken|work broken|working like|dislike love|hate like|hate prefer|avoid prefer|dislike always|never allow|forbid
  allow|ban allow|prohibit allowed|banned allow|block permit|forbid permit|deny require|optional required|optional
  mandatory|optional mandatory|voluntary available|unavailable possible|impossible open|close opened|closed
  start|stop include|exclude increase|decrease increase|reduce add|remove grant|revoke grant|deny accept|reject
  accept|decline approve|reject approve|decline pass|fail succeed|fail success|failure public|private
  internal|external inbound|outbound incoming|outgoing primary|secondary read|write import|export upload|download
  input|output upper|lower high|low higher|lower more|less most|least many|few early|late earlier|later old|new
  oldest|newest front|back left|right top|bottom north|south east|west indoor|outdoor indoors|outdoors
  inside|outside day|night morning|evening morning|afternoon buy|sell rent|own lend|borrow single|married
  vegan|meat vegetarian|meat vegan|steak manual|automatic manually|automatically sync|async
  synchronous|asynchronous light|dark hot|cold warm|cold full|empty fast|slow active|inactive online|offline
  encrypted|plaintext encrypted|unencrypted sorted|unsorted signed|unsigned paid|free free|enterprise paper|email
  remote|onsite remote|on-site remote|office home|office full-time|part-time permanent|temporary paused|active
  pause|resume hold|swing keep|delete keep|remove keep|drop keep|retire retain|delete stay|leave stay|move
  join|leave win|lose true|false yes|no tabs|spaces tab|space merge|rebase monolith|microservice american|british
  up|down ascending|descending single|double uppercase|lowercase rise|fall grow|shrink gain|lose ahead|behind
  agree|disagree agree|object visible|hidden show|hide lock|unlock connect|disconnect attach|detach above|below
  maximum|least must|may everyone|nobody everybody|nobody all|none everything|nothing with|without raise|lower
  put|take wear|remove together|alone alone|with same|different healthy|sick strict|lenient strict|loose
  formal|informal formal|casual short|long brief|long brief|detailed concise|verbose big|small large|small
  large|tiny huge|tiny empty|crowded wet|dry cancelled|active canceled|active cancelled|renewed fixed|open
  resolved|open solved|open done|pending finished|pending completed|pending draft|published published|unpublished
  archived|active expired|valid valid|invalid granted|revoked running|stopped running|down employed|unemployed
  retired|active alive|dead hired|fired accepted|rejected approved|rejected window|aisle drive|cycle drive|walk
  cycle|walk bus|train car|bus car|train car|bike json|text plain|encrypted unlimited|limited able|unable
  known|unknown used|unused locked|unlocked muted|unmuted mandatory|forbidden required|forbidden allowed|forbidden
  allowed|prohibited permitted|prohibited own|rent asynchronous|sync eager|lazy static|dynamic central|distributed
  onshore|offshore serif|sans-serif vertical|horizontal portrait|landscape inclusive|exclusive gross|net
  weekly|daily daily|monthly weekly|monthly quarterly|monthly yearly|monthly completed|started unfinished|finished
  confirmed|cancelled confirmed|unconfirmed optimistic|pessimistic introvert|extrovert vegetarian|steak
  meat-free|meat sold|unsold available|sold in-house|outsourced inhouse|outsourced wireless|wired prepaid|postpaid
  refundable|non-refundable sparkling|still spicy|mild ouvert|fermé ouverte|fermée abierto|cerrado abierta|cerrada
  abre|cierra ouvre|ferme öffnet|schließt offen|geschlossen geöffnet|geschlossen geöffnet|zu aktiviert|deaktiviert
  activado|desactivado activada|desactivada activé|désactivé activée|désactivée erlaubt|verboten
  permitido|prohibido autorisé|interdit autorisée|interdite immer|nie siempre|nunca toujours|jamais mag|hasst
  gusta|odia aime|déteste erste|letzte ersten|letzten primer|último premier|dernier premières|dernières
  öffentlich|privat manuell|automatisch intern|extern intern|externe hell|dunkel maximal|mindestens más|menos
  plus|moins kaputt|funktioniert alt|neu alte|neue viejo|nuevo vieja|nueva ancien|nouveau ancienne|nouvelle
  groß|klein grande|pequeño grand|petit hoch|niedrig links|rechts izquierda|derecha gauche|droite rural|urban
  clean|dirty quiet|loud loud|silent strong|weak thick|thin wide|narrow young|old male|female boy|girl man|woman
  sit|stand walk|run sleep|awake hit|miss catch|throw push|pull lift|lower open|shut permit|prohibit ban|permit
  ban|allow support|drop support|deprecate deprecated|supported deprecated|recommended cheap|expensive sunny|rainy
  extended|terminated renewed|terminated kept|archived success|fail worldwide|local disk|memory persistent|memory
  left-handed|right-handed experimental|stable free|pay free|cost free|paid open|proprietary post|email walk|bus
  manual|auto
`)

/** Opposites that name two attributes of one thing: its start and its end may both have a value. */
const TWO_ATTRIBUTES = pairs(`
  start|end begin|end begin|finish start|finish open|close minimum|maximum read|write import|export upload|download
  buy|sell arrive|depart first|last primary|secondary incoming|outgoing inbound|outbound gross|net oldest|newest
  earliest|latest lower|upper input|output send|receive create|delete enter|leave check-in|check-out
`)

const CLASSES: readonly string[] = [
  'red blue green yellow black white brown gray grey orange purple pink silver gold blond',
  'snake_case camelcase pascalcase kebab-case kebabcase',
  'free starter basic pro team business enterprise premium solo plus trial standard professional growth',
  'english german french spanish italian portuguese polish dutch japanese chinese korean russian swedish danish norwegian czech turkish arabic hindi american british',
  'tabs spaces tab space',
  'weekly daily monthly hourly quarterly yearly annually',
  'linux windows macos ubuntu debian fedora ios android mac pc',
  'slack teams discord zoom email sms phone mail whatsapp',
  'postgres postgresql mysql sqlite mongodb redis dynamodb mariadb oracle',
  'python typescript javascript go golang rust java kotlin ruby php c# c++ swift',
  'aws gcp azure hetzner',
  'train car bus bike plane bicycle tram',
  'north south east west',
  'spring summer autumn fall winter',
  'critical high medium low',
  'tea coffee water juice beer wine',
  'chrome firefox safari edge',
  'vim emacs vscode',
  'npm yarn pnpm bun',
  'main master develop trunk',
  'transfer card cash cheque paypal invoice',
  'json yaml toml xml csv',
  'vegan vegetarian omnivore',
  'single married divorced widowed engaged',
  'cat dog rabbit bird fish',
  'breakfast lunch dinner',
  'open closed',
  'squash rebase',
  'morning afternoon evening night noon',
]

const CLASSES_OF = new Map<string, number[]>()
CLASSES.forEach((members, i) => {
  for (const word of members.split(' ')) CLASSES_OF.set(word, [...(CLASSES_OF.get(word) ?? []), i])
})

const NEGATIVE_PREFIX = /^(?:un|in|im|ir|il|dis|non-?)(?=[a-z]{3})/
/** Words that only look negated ("inform" is not the opposite of "form"). */
const NOT_NEGATED = new Set('inform disclose understand until import invoice instance install include increase interest indoor'.split(' '))

function isNegated(word: string, base: string): boolean {
  const prefix = NEGATIVE_PREFIX.exec(word)?.[0]
  return prefix !== undefined && word.slice(prefix.length) === base && isCommonWord(base) && !NOT_NEGATED.has(word)
}

/** "hopeful", "hopeless". */
function isLacking(word: string, having: string): boolean {
  return word.endsWith('less') && having.endsWith('ful') && word.slice(0, -4) === having.slice(0, -3)
}

/** True when two words are opposites, in any of their forms. */
export function areOpposite(a: WordForms, b: WordForms): boolean {
  if (a.text === b.text) return false
  for (const x of [a.text, a.lemma]) {
    const opposites = OPPOSITES.get(x)
    if (opposites && (opposites.has(b.text) || opposites.has(b.lemma))) return true
  }
  if (a.text.length < 4 || b.text.length < 4) return false
  return (
    isNegated(a.lemma, b.lemma) ||
    isNegated(b.lemma, a.lemma) ||
    isNegated(a.text, b.text) ||
    isNegated(b.text, a.text) ||
    isLacking(a.lemma, b.lemma) ||
    isLacking(b.lemma, a.lemma)
  )
}

/** True when two opposites are names of two attributes, as start and end. */
export function areTwoAttributes(a: WordForms, b: WordForms): boolean {
  return TWO_ATTRIBUTES.get(a.lemma)?.has(b.lemma) ?? false
}

function shareClass(a: string, b: string): boolean {
  if (a === b) return false
  const classes = CLASSES_OF.get(b)
  return classes !== undefined && (CLASSES_OF.get(a)?.some((i) => classes.includes(i)) ?? false)
}

/** True when both are members of a class of which a thing has one (colours, plans, weekdays apart). */
export function areExclusive(a: WordForms, b: WordForms): boolean {
  return shareClass(a.lemma, b.lemma) || shareClass(a.text, b.text)
}
