/** Dates, times and numbers in the person's language and zone. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** English dates are written day first ("2 Sep"), whatever the English: one way of writing on every screen. */
function dateLocale(locale: string): string {
  return locale.startsWith('en') ? 'en-GB' : locale
}

const formats = new Map<string, Intl.DateTimeFormat>()
function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = locale + JSON.stringify(options)
  let made = formats.get(name)
  if (!made) {
    made = new Intl.DateTimeFormat(dateLocale(locale), options)
    formats.set(name, made)
  }
  return made
}

const dayNumber = (at: Date): number => Math.floor((at.getTime() - at.getTimezoneOffset() * MINUTE) / DAY)

function written(at: Date, locale: string, options: Intl.DateTimeFormatOptions): string {
  const text = format(locale, options).format(at)
  // British English alone has four letters for this month, and none for any other.
  return locale.startsWith('en') ? text.replace('Sept', 'Sep') : text
}

/** `2 Sep 2026` */
export function fullDate(iso: string, locale: string): string {
  return written(new Date(iso), locale, { day: 'numeric', month: 'short', year: 'numeric' })
}

/** `14:03` */
export function timeOfDay(iso: string, locale: string): string {
  return format(locale, { hour: '2-digit', minute: '2-digit' }).format(new Date(iso))
}

/** `2 Sep 2026, 14:03` */
export function dateAndTime(iso: string, locale: string): string {
  return written(new Date(iso), locale, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' })
}

/** `2 Sep` in this year, `2 Sep 2025` in another. */
export function shortDate(iso: string, now: Date, locale: string): string {
  const at = new Date(iso)
  if (at.getFullYear() !== now.getFullYear()) return fullDate(iso, locale)
  return written(at, locale, { day: 'numeric', month: 'short' })
}

function inUnits(count: number, unit: 'minute' | 'hour', locale: string): string {
  // English hours are "3 h" by our own copy rules; Intl has "3 hrs" and "3h".
  if (unit === 'hour' && locale.startsWith('en')) return `${count} h`
  return new Intl.NumberFormat(dateLocale(locale), { style: 'unit', unit, unitDisplay: 'short' }).format(count).replace(/\bmins\b/, 'min')
}

/** In lists: `now`, `12 min`, `3 h`, `Yesterday`, then the date. */
export function listDate(iso: string, now: Date, locale: string): string {
  const at = new Date(iso)
  const age = now.getTime() - at.getTime()
  if (age < -MINUTE) return shortDate(iso, now, locale)
  if (age < MINUTE) return locale.startsWith('en') ? 'now' : new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second')
  if (age < HOUR) return inUnits(Math.floor(age / MINUTE), 'minute', locale)
  const days = dayNumber(now) - dayNumber(at)
  if (days === 0) return inUnits(Math.floor(age / HOUR), 'hour', locale)
  if (days === 1) {
    const yesterday = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-1, 'day')
    return yesterday.charAt(0).toLocaleUpperCase(locale) + yesterday.slice(1)
  }
  return shortDate(iso, now, locale)
}

export function count(amount: number, locale: string): string {
  return new Intl.NumberFormat(dateLocale(locale)).format(amount)
}
