import { describe, expect, test } from 'vitest'
import { eventDate } from '../../../shared/domain/claim/event-date.ts'

const NOW = new Date('2026-03-02T10:00:00Z')

describe('the event date of a claim', () => {
  test.each([
    ['Ada joined on 2024-05-06.', '2024-05-06', 0.9],
    ['[2023-05-08] Caroline: I went to the meeting.', '2023-05-08', 0.9],
    ['The well was dug on the 3rd of June 2023.', '2023-06-03', 0.9],
    ['On June 3, 2023 the well was dug.', '2023-06-03', 0.9],
    ['Grace moved to Berlin in March 2025.', '2025-03-01', 0.6],
    ['工場は2024年5月6日に開いた。', '2024-05-06', 0.9],
    ['Founded 2 March 2026, today.', '2026-03-02', 0.9],
  ])('is plain in: %s', (text, at, confidence) => expect(eventDate(text, NOW)).toEqual({ at: new Date(`${at}T00:00:00Z`), confidence }))

  test.each([
    'Deploys run on Fridays.',
    'The contract runs until 2025-03-01.',
    'The report is due 2025-03-01.',
    'The licence expires on 1 May 2025.',
    'The fair opens on 2026-06-01.',
    'Between 2024-01-01 and 2024-02-01 the gate was shut.',
    'It was built on 2020-02-31.',
    'Version 2024-05-06-rc1 is out.',
    'The year 2024 was warm.',
    '',
  ])('is not there in: %s', (text) => expect(eventDate(text, NOW)).toBeNull())
})
