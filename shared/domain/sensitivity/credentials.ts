/** Shapes of secrets: keys that name themselves, statements of a password, token or PIN. All repeats are bounded. */

/** Tokens whose prefix says what they are. */
const TOKEN_SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY/,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{20,80}/,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/,
  /\bgl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{16,128}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/,
  /\bxapp-[A-Za-z0-9-]{20,255}/,
  /\b(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9+/=]{16,255}/,
  /\bsk-[A-Za-z0-9_-]{20,255}/,
  /\bAIza[0-9A-Za-z_-]{30,64}/,
  /\bya29\.[0-9A-Za-z_-]{20,255}/,
  /\b(?:npm|hf|dckr_pat|figd|shpat|shpss)_[A-Za-z0-9_-]{20,255}/,
  /\bpypi-[A-Za-z0-9_-]{20,255}/,
  /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}/,
  /\bSK[0-9a-f]{32}\b/,
  /\bdop_v1_[0-9a-f]{32,128}/,
  /\beyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}/,
  /\bhttps:\/\/hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,128}/,
]

const URL_LOGIN = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,128}:([^\s@/]{1,256})@[\w.[]/gi
const BEARER = /\b(?:bearer|basic)\s{1,4}([A-Za-z0-9._~+/=-]{16,4096})/gi
const NAMED_KEY =
  /(?:api[ _-]?key|secret(?:[ _-]?(?:access)?[ _-]?key)?|access[ _-]?(?:key|token)|auth[ _-]?token|client[ _-]?secret|private[ _-]?key|encryption[ _-]?key|(?<![\p{L}\p{N}])token)["']?\s{0,4}(?:is|was|:|=|=>|->)\s{0,4}["'`]?([A-Za-z0-9_./+=~-]{12,4096})/giu
const PASSWORD =
  /(?:pass ?(?:word|wd|phrase|code)|(?<![\p{L}])pwd|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|パスワード|密码|비밀번호)(?: (?:for|of|to|on|für|de|para|pour) [^.:=\n]{1,40}?)?["']?\s{0,4}(?:(is|was|lautet|ist|es|est|é)\s|[:=：]|は)\s{0,4}["'`“]?([^\s"'`“”,;]{3,256})/giu
const PIN =
  /(?<![\p{L}\p{N}])pin(?:[ -]?(?:code|number|no\.?|nummer))?(?: (?:for|of|to|on|für|de|para|pour) [^.:=\n\d]{1,40}?)?["']?\s{0,4}(?:is|was|lautet|ist|es|est|:|=|to|→|->)?\s{0,4}["'#]?\d{4,8}(?![\d.,]?\d)/iu
const PIN_AFTER = /(?<![\d.,])\d{4,8} is (?:my|the|our|his|her|their) (?:[\p{L}-]{1,20} ){0,3}pin(?![\p{L}])/iu

/** Words that follow "the password is" without being one. */
const NOT_A_PASSWORD = new Set(
  `a an the in on at by for to of and or not no yes none null undefined true false never always only also now being set
  required optional mandatory needed wrong right correct incorrect weak strong long short secret safe unsafe secure
  known unknown empty missing invalid valid old new same different case-sensitive string str number text hidden kept
  see ask must should may can min minimum max maximum at least from with without under over our my your his her their
  managed rotated found due too very stored written sent shared what one rules policy reset there here manager`.split(/\s+/),
)

function isPlaceholder(secret: string): boolean {
  return /^[$<{%[(]|^[x*•.…_-]+$|^(?:your|my|example|changeme|redacted)[_-]?/i.test(secret.slice(0, 40))
}

const ADJECTIVE = /(?:ed|ing|able|ible|en|ly|ique|al|ous|ive|ary|ful|less|ent|ant|ic)$/i
const SENTENCE_END = /^["'`”)]{0,2}(?:[.!](?:\s|$)|\s*$)/

/**
 * A word of letters alone is a password after a colon, and after "is" when it ends the sentence and looks like no
 * adjective ("the password is swordfish", "the password is unique").
 */
function isStatedPassword(match: RegExpExecArray): boolean {
  const afterVerb = match[1] !== undefined
  const word = match[2] ?? ''
  const bare = word.replace(/[.!?)]+$/, '')
  if (bare.length < 3 || isPlaceholder(bare)) return false
  if (/[\d@#$%^&*_~+=]/.test(bare)) return bare.length >= 4 || !afterVerb
  if (bare.length < 6 || NOT_A_PASSWORD.has(bare.toLowerCase())) return false
  const end = match.index + match[0].length - (word.length - bare.length)
  return !afterVerb || (!ADJECTIVE.test(bare) && SENTENCE_END.test(match.input.slice(end, end + 8)))
}

function isOpaque(secret: string): boolean {
  return !isPlaceholder(secret) && /\d/.test(secret) && /[A-Za-z]/.test(secret)
}

function someMatch(text: string, pattern: RegExp, accept: (match: RegExpExecArray) => boolean): boolean {
  for (const match of text.matchAll(pattern)) if (accept(match)) return true
  return false
}

/** True when the text holds a credential: a key, a token, a private key, a stated password or PIN. */
export function holdsCredential(text: string): boolean {
  return (
    TOKEN_SHAPES.some((shape) => shape.test(text)) ||
    someMatch(text, URL_LOGIN, (match) => !isPlaceholder(match[1] ?? '')) ||
    someMatch(text, BEARER, (match) => isOpaque(match[1] ?? '')) ||
    someMatch(text, NAMED_KEY, (match) => isOpaque(match[1] ?? '')) ||
    someMatch(text, PASSWORD, isStatedPassword) ||
    PIN.test(text) ||
    PIN_AFTER.test(text)
  )
}
