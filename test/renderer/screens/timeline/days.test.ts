import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addMonths,
  axisOf,
  dateOf,
  dayOf,
  endOf,
  instantOf,
  placeOf,
  ticksOf,
  usualRange,
} from '../../../../renderer/screens/timeline/days.ts'

const day = (year: number, month: number, date: number): number => dayOf(new Date(year, month - 1, date).getTime())
const NOW = new Date(2026, 11, 1, 10, 30).getTime()

describe('the days of the timeline', () => {
  it('are those of the calendar, one after the other, whatever the clocks do', () => {
    fc.assert(
      fc.property(fc.integer({ min: -40_000, max: 60_000 }), (number) => {
        expect(dayOf(dateOf(number).getTime())).toBe(number)
        expect(dayOf(endOf(number))).toBe(number)
        expect(dayOf(endOf(number) + 1)).toBe(number + 1)
      }),
    )
  })

  it('stand for their end, and today for what is known by now', () => {
    expect(instantOf(day(2026, 8, 20), NOW)).toBe(new Date(2026, 7, 21).getTime() - 1)
    expect(instantOf(dayOf(NOW), NOW)).toBe(NOW)
  })

  it('a month further are the same day, or the last of a shorter month', () => {
    expect(addMonths(day(2026, 1, 31), 1)).toBe(day(2026, 2, 28))
    expect(addMonths(day(2028, 1, 31), 1)).toBe(day(2028, 2, 29))
    expect(addMonths(day(2026, 12, 15), 1)).toBe(day(2027, 1, 15))
    expect(addMonths(day(2026, 1, 15), -2)).toBe(day(2025, 11, 15))
  })
})

describe('the axis', () => {
  it('spans every instant and today, from the first of a month', () => {
    const axis = axisOf('all', [new Date(2026, 5, 10).getTime(), new Date(2027, 0, 4).getTime()], NOW)
    expect(dateOf(axis.first)).toEqual(new Date(2026, 5, 1))
    expect(axis.last).toBe(day(2027, 1, 11))
    expect(axisOf('all', [], NOW).first).toBeLessThan(dayOf(NOW) - 27)
  })

  it('is a year where all that happened would make a day too small to see', () => {
    expect(usualRange([new Date(2026, 0, 1).getTime()], NOW)).toBe('all')
    expect(usualRange([new Date(1969, 6, 20).getTime()], NOW)).toBe('year')
    const year = axisOf('year', [new Date(1969, 6, 20).getTime()], NOW)
    expect(year.first).toBe(day(2025, 12, 1))
    expect(year.last).toBeGreaterThan(dayOf(NOW))
  })

  it('has its ends at the first day and the last, and its marks in between, not more than fit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10_000, max: 25_000 }),
        fc.integer({ min: 28, max: 40_000 }),
        fc.integer({ min: 1, max: 14 }),
        (first, length, most) => {
          const axis = { first, last: first + length }
          expect(placeOf(axis, endOf(axis.first))).toBe(0)
          expect(placeOf(axis, endOf(axis.last))).toBe(1)
          const ticks = ticksOf(axis, most)
          expect(ticks.length).toBeLessThanOrEqual(most + 2)
          for (const tick of ticks) {
            expect(tick.day).toBeGreaterThanOrEqual(axis.first)
            expect(tick.day).toBeLessThanOrEqual(axis.last)
          }
          expect(new Set(ticks.map((tick) => tick.day)).size).toBe(ticks.length)
        },
      ),
    )
  })
})
