/** What a person is told once, on stdout alone: the token of a first start in multi mode. It is in no log. */
export function firstTokenLines(token: string): string {
  return `First token, for the person of this install; it is shown this once:\n${token}\n`
}
