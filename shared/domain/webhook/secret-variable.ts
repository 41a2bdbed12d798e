const LETTER: Readonly<Record<string, string>> = { '-': '_D', '.': '_P', _: '_U' }

/** The org as a variable spells it: `_` opens a two-letter code, so that no two orgs meet and none holds `__`. */
const orgInVariable = (org: string): string => [...org].map((letter) => LETTER[letter] ?? letter.toUpperCase()).join('')

/** The variable that holds a secret of an org. */
export const secretVariable = (org: string, name: string): string => `LOOM_WEBHOOK_SECRET_${orgInVariable(org)}__${name}`
