/**
 * The form in which tags, entities and names of categories are compared: one spelling for each letter (NFC), in lower
 * case. In SQL it is `lower(normalize(…))`.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
