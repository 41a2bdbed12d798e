import { describe, expect, it } from 'vitest'
import { canonicalText } from '../../../shared/domain/text/canonical.ts'

describe('canonicalText', () => {
  it.each([
    ['case', 'Deploys Run On Monday', 'deploys run on monday'],
    ['white space', '  Deploys\t run\non  Monday ', 'Deploys run on Monday'],
    ['no-break and zero-width space', 'Deploys\u00a0run on\u200b Monday', 'Deploys run on Monday'],
    ['final punctuation', 'Deploys run on Monday.', 'Deploys run on Monday'],
    ['an exclamation', 'Deploys run on Monday!', 'Deploys run on Monday'],
    ['quotes', '“Deploys” run on ‘Monday’', '"Deploys" run on \'Monday\''],
    ['quotes left out', 'The "main" branch', 'The main branch'],
    ['apostrophes', 'Don’t deploy', "Don't deploy"],
    ['full-width forms', 'Ｄｅｐｌｏｙ １２', 'Deploy 12'],
    ['ligatures', 'ﬁle', 'file'],
    ['composed and decomposed letters', 'Caf\u00e9', 'Cafe\u0301'],
    ['digits of another script', '٣ days', '3 days'],
    ['dashes', '9–17', '9-17'],
    ['emphasis', 'Use **tabs** here', 'Use tabs here'],
    ['a bullet', '- Use tabs', 'Use tabs'],
    ['a space before a unit', 'The limit is 5GB', 'The limit is 5 GB'],
    ['capitals throughout, units among them', 'TIMEOUT IS 500 MS OR 5 MW', 'Timeout is 500 ms or 5 mw'],
    ['spellings of a unit', '100MHz on 5 MB', '100 mhz on 5mb'],
    ['a formula', 'H₂O', 'H2O'],
    ['a fraction', '1½ hours', '1 ½ hours'],
    ['sharp s', 'Straße', 'STRASSE'],
    ['the space in thousands', '12 000 EUR', '12\u202f000 EUR'],
    ['spaces between Japanese words', '本番 は 月曜', '本番は月曜'],
    ['a Japanese full stop', '本番は月曜。', '本番は月曜'],
  ])('levels %s [VER008]', (_, a, b) => {
    expect(canonicalText(a)).toBe(canonicalText(b))
  })

  it.each([
    ['a digit', 'Port 8080', 'Port 8081'],
    ['a sign', 'At -5 degrees', 'At 5 degrees'],
    ['a sign set apart', 'At - 5 degrees', 'At 5 degrees'],
    ['a decimal point', '1.5 GB', '15 GB'],
    ['a version', 'v1.2', 'v12'],
    ['a clock', '10:30', '1030'],
    ['bits and bytes', '5 Mb', '5 MB'],
    ['milli and mega', '5 mW', '5 MW'],
    ['megabits and megabytes a second', '5 Mbps', '5 MBps'],
    ['millions', '5M', '5m'],
    ['a currency', '5 €', '5 $'],
    ['a per cent', '5 %', '5'],
    ['feet and inches', "5'", '5"'],
    ['a bound', '< 5', '> 5'],
    ['a question', 'Do we deploy on Monday?', 'Do we deploy on Monday'],
    ['a number that leads', '5. Mai ist frei', '6. Mai ist frei'],
    ['a product', '2*3', '23'],
    ['a power', '10² cells', '102 cells'],
    ['a mixed number', '1½ hours', '11⁄2 hours'],
    ['a count before a weight', '3 250 g packs', '3250 g packs'],
    ['a path', '/etc/hosts', 'etc/hosts'],
    ['a channel', '#ops', 'ops'],
    ['a negation mark', 'if !ready', 'if ready'],
    ['a word', 'Deploys run on Monday', 'Deploys run on Tuesday'],
  ])('keeps %s [VER008]', (_, a, b) => {
    expect(canonicalText(a)).not.toBe(canonicalText(b))
  })
})
