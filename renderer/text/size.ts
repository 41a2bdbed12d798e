const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** `38 MB`: three digits at most, in steps of a thousand. */
export function sizeOf(bytes: number, locale: string): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  const digits = value < 10 && step > 0 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'unit', unit: UNITS[step], unitDisplay: 'short', maximumFractionDigits: digits }).format(
    value,
  )
}
