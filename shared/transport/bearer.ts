/** The token of an Authorization header, or undefined. */
export function bearerToken(header: string | null | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
}
