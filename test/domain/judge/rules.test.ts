import { describe, expect, it } from 'vitest'
import { analyse } from '../../../shared/domain/judge/analyse.ts'
import { judge } from '../../../shared/domain/judge/judge.ts'
import { wordOverlap } from '../../../shared/domain/judge/overlap.ts'
import { RULES } from '../../../shared/domain/judge/rules.ts'

function judged(textA: string, textB: string) {
  const [a, b] = [analyse({ key: 'a', text: textA }), analyse({ key: 'b', text: textB })]
  return judge(a, b, { similarity: wordOverlap(a, b), relation: null })
}

/** One pair for each rule, which decides it. */
const DECIDED: readonly (readonly [rule: string, finding: string, a: string, b: string])[] = [
  ['all-only', 'contradicts', 'The feature is available in all regions.', 'The feature is only available in Europe.'],
  ['anyone-only', 'contradicts', 'Only the owner can archive a project.', 'Any member can archive a project.'],
  ['attribute', 'clear', 'Port 22 is closed.', 'Port 443 is open.'],
  ['cjk-denial', 'contradicts', '小王喜欢喝茶', '小王不喜欢喝茶'],
  ['cjk-more', 'refines', '佐藤さんは来月出張する', '佐藤さんは来月10日から大阪へ出張する'],
  ['cjk-replaced', 'contradicts', 'サーバーは東京にある', 'サーバーは大阪にある'],
  ['cjk-same', 'restates', '办公室在三楼', '办公室位于3楼'],
  ['cjk-subject', 'clear', '一号会议室有投影仪', '二号会议室没有投影仪'],
  ['cjk-value', 'contradicts', '办公室在三楼', '办公室在五楼'],
  ['closed-list', 'contradicts', 'Only Ann, Bo and Cyrus can approve production access.', 'Only Ann and Bo can approve production access.'],
  ['condition', 'clear', 'If the payment succeeds, the order is shipped.', 'If the payment fails, the order is cancelled.'],
  ['contained', 'refines', 'Dunmore Hotels pays late.', 'Dunmore Hotels typically settles its invoices ten days past the due date.'],
  ['counted-noun', 'clear', 'Yara has two children.', 'Yara has three bikes.'],
  ['denial', 'contradicts', 'The cache is cleared every night.', 'The cache is never cleared.'],
  ['environment', 'clear', 'The dev cluster is stopped at night.', 'The production cluster is never stopped.'],
  [
    'exception',
    'contradicts',
    'Everyone on the design team has a Mac.',
    'Everyone on the design team has a Mac except Ludo, who works on a Windows PC.',
  ],
  ['exclusive', 'contradicts', 'Answer in English.', 'Answer in Spanish.'],
  ['function-word', 'contradicts', 'Tests must be written before the code.', 'Write the tests once the code is finished.'],
  ['identifier', 'contradicts', 'Invoices go to accounts@harrow.io.', 'Invoices should be sent to billing@harrow.io.'],
  ['many-valued', 'clear', 'Zoe handles the Aldgate account.', 'Zoe handles the Borough account.'],
  ['measure', 'clear', 'The API rate limit is 100 requests per minute.', 'The upload size limit of the API is 100 MB.'],
  ['more-said', 'refines', 'Interns are paid.', 'Interns are paid 1,400 euros a month.'],
  ['name', 'contradicts', 'Marta lives in Porto.', 'Marta lives in Lisbon.'],
  [
    'negation',
    'contradicts',
    'The guest Wi-Fi password never changes, so it is printed on the card at the front desk.',
    'The guest Wi-Fi password is rotated monthly and printed on the card at the front desk.',
  ],
  ['noun-before-value', 'clear', 'Wei likes to run in the morning.', 'Wei likes to read at night.'],
  ['obligation', 'contradicts', 'Standups are optional on Fridays.', 'Everyone must attend the standup on Fridays.'],
  ['opening-period', 'clear', 'Before 2022 the company used Jira.', 'Since 2022 the company has used Linear.'],
  ['opposite', 'contradicts', 'Hana is left-handed.', 'Hana is right-handed.'],
  ['opposite-elsewhere', 'clear', 'Parking is free for employees.', 'Parking costs 5 euros for visitors.'],
  ['otherwise', 'clear', 'Tariq speaks French.', 'Tariq plays tennis.'],
  ['possessive', 'clear', 'Hana is left-handed.', "Hana's daughter is right-handed."],
  ['replaced-word', 'contradicts', 'El gato duerme en la cocina.', 'El gato duerme en el salón.'],
  ['reporting', 'clear', 'Samir manages Wanda.', 'Samir manages Piotr.'],
  ['reporting', 'contradicts', 'Samir manages Wanda.', "Wanda is Samir's boss."],
  ['reporting', 'restates', 'Samir manages Wanda.', 'Wanda reports to Samir.'],
  ['required-without', 'contradicts', 'The deploy job needs manual approval.', 'The deploy job runs without any approval.'],
  ['restatement', 'restates', 'Marta lives in Porto.', "Marta's home is in Porto."],
  ['still-gone', 'contradicts', 'Anna left the company in May.', 'Anna still works at the company.'],
  ['subject', 'clear', 'Marta lives in Porto.', 'Pedro lives in Lisbon.'],
  ['swapped-roles', 'contradicts', 'Petra reports to Lars.', 'Lars reports to Petra.'],
  ['time', 'clear', 'Last year the team had 5 people.', 'This year the team has 9 people.'],
  ['unrelated', 'clear', 'The dishwasher is a Bosch.', 'The oven is a Siemens.'],
  ['value', 'contradicts', 'Yara has two children.', 'Yara has three kids.'],
]

describe('the rules', () => {
  it.each(DECIDED)('%s: %s for %j beside %j', (rule, finding, a, b) => {
    expect(judged(a, b)).toMatchObject({ finding, rules: expect.arrayContaining([rule]) })
    expect(judged(a, b).rules[0]).toBe(rule)
  })

  it('each have a pair here', () => {
    // Two have none among our labelled pairs that nothing else decides first: beneficiary and place; hedge has its own test.
    const latin = new Set(DECIDED.map(([rule]) => rule).filter((rule) => !rule.startsWith('cjk') && rule !== 'otherwise'))
    expect(latin.size).toBeGreaterThanOrEqual(RULES.length - 3)
  })

  it.each([
    ['same values in other spellings', 'The office opens at 5pm.', 'The office opens at 17:00.'],
    ['kilohertz', 'The sample rate is 44.1 kHz.', 'The sample rate is 44,100 Hz.'],
    ['spans', 'The session ends after half an hour.', 'The session ends after 30 minutes.'],
    ['number words', 'The plan has twenty-five seats.', 'The plan has 25 seats.'],
    ['weekdays', 'Support is there Monday to Friday.', 'Support is there on weekdays.'],
    ['an active and a passive', 'Samir manages Wanda.', 'Wanda reports to Samir.'],
  ])('hold %s for one fact', (_, a, b) => {
    expect(judged(a, b).finding).toBe('restates')
  })

  it.each([
    ['another number', 'The limit is 20 requests.', 'The limit is 30 requests.'],
    ['another version', 'We use Node v18.2.', 'We use Node v18.3.'],
    ['another unit', 'The timeout is 30 minutes.', 'The timeout is 30 hours.'],
    ['another sign', 'The freezer is kept at -18 °C.', 'The freezer is kept at 18 °C.'],
    ['another day', 'Deploys run on Monday.', 'Deploys run on Tuesday.'],
    ['a denial', 'The cache is cleared every night.', 'The cache is never cleared.'],
    ['digits past 2^53', 'The account number is 98765432109876541.', 'The account number is 98765432109876543.'],
  ])('find %s to contradict', (_, a, b) => {
    expect(judged(a, b).finding).toBe('contradicts')
  })

  it.each([
    ['other people', 'Marta lives in Porto.', 'Pedro lives in Lisbon.'],
    ['other environments', 'The staging database has 2 replicas.', 'The production database has 3 replicas.'],
    ['other attributes', 'The read timeout is 30 seconds.', 'The write timeout is 60 seconds.'],
    ['other times', 'Last year the team had 5 people.', 'This year the team has 9 people.'],
  ])('find %s clear of each other, however alike the words', (_, a, b) => {
    expect(judged(a, b).finding).toBe('clear')
  })
})
