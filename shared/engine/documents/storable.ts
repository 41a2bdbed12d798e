/** NUL and lone surrogates, which no store of text can hold. */
const UNSTORABLE = /[\0\p{Cs}]/u
const ALL_UNSTORABLE = /[\0\p{Cs}]/gu

export const isStorable = (text: string): boolean => !UNSTORABLE.test(text)

/** The text with another in place of each of them. */
export const storable = (text: string, instead: string): string => text.replace(ALL_UNSTORABLE, instead)
