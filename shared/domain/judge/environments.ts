/** Environments a fact can belong to. The same words about two environments are two facts. */

const NAMES: readonly (readonly [environment: string, ...spellings: string[]])[] = [
  ['production', 'prod', 'prd', 'produktion', 'producción', '本番', '生产', '운영'],
  ['staging', 'stage', 'stg', 'ステージング', '스테이징'],
  ['preproduction', 'preprod', 'pre-prod', 'recette', '预发布'],
  ['development', 'dev', '開発', '开发', '개발'],
  ['testing', 'test', 'testumgebung', 'prueba', 'pruebas', '検証', 'テスト', '测试', '테스트'],
  ['qa'],
  ['uat'],
  ['sandbox'],
  ['demo'],
  ['local', 'localhost'],
  ['preview'],
  ['canary'],
  ['integration'],
  ['live'],
  ['beta'],
  ['alpha'],
  ['nightly'],
  ['lab'],
]

const ENVIRONMENT_OF: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(([environment, ...spellings]) => [environment, ...spellings].map((name) => [name, environment] as const)),
)

/** Words that name an environment in a text, but in a key are as often something else ("lab", "nightly"). */
const VAGUE_IN_KEYS = new Set(['integration', 'live', 'beta', 'alpha', 'nightly', 'lab'])

/** The environment that a lower-case word names, else undefined. */
export function environmentOf(word: string): string | undefined {
  return ENVIRONMENT_OF.get(word)
}

/** Environments whose names are hardly ever anything else. */
const PLAIN = new Set(['production', 'staging', 'preproduction', 'development', 'qa', 'uat', 'sandbox'])

/** Words of a text that may be an environment, or a verb ("live"), a place ("lab"), a developer's own machine. */
const VAGUE_IN_TEXTS = new Set([...VAGUE_IN_KEYS, 'local'])

/** True when two environments that texts name are surely that. */
export function arePlainlyEnvironments(a: string, b: string): boolean {
  return !VAGUE_IN_TEXTS.has(a) && !VAGUE_IN_TEXTS.has(b) && (PLAIN.has(a) || PLAIN.has(b))
}

const MAX_KEY = 512

function environmentsOfKey(key: string): Set<string> {
  const words = key
    .slice(0, MAX_KEY)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1/$2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
  const found = words.map((word) => ENVIRONMENT_OF.get(word)).filter((name) => name !== undefined)
  return new Set(found.filter((name) => !VAGUE_IN_KEYS.has(name)))
}

/** True when both keys name environments and share none: such claims never merge, and never contradict. */
export function differentEnvironments(keyA: string, keyB: string): boolean {
  const a = environmentsOfKey(keyA)
  const b = environmentsOfKey(keyB)
  return a.size > 0 && b.size > 0 && ![...a].some((name) => b.has(name))
}
