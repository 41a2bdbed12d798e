import { holdsCredential } from './credentials.ts'
import { holdsCardNumber, holdsIban, holdsPhone, holdsSocialSecurityNumber, withoutIbans } from './numbers.ts'

/** Moves with the detectors; stored rows are then looked at again. */
export const DETECTOR_VERSION = '1'

const EMAIL = /(?<![\w.+-])[\w+-][\w.+-]{0,63}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}(?![\p{L}\p{N}])/u

/**
 * The sensitivity a text calls for when its writer named none. `high`: a credential, a payment card, a social
 * security number, a stated PIN. `medium`: an email address, a phone number, an IBAN. Empty: none of these.
 */
export function detectSensitivity(text: string): '' | 'high' | 'medium' {
  const plain = text.normalize('NFKC')
  if (holdsCredential(plain) || holdsSocialSecurityNumber(plain) || holdsCardNumber(withoutIbans(plain))) return 'high'
  if (EMAIL.test(plain) || holdsIban(plain) || holdsPhone(plain)) return 'medium'
  return ''
}
