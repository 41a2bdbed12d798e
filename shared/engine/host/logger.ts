import { type Logger, pino } from 'pino'

/** The log of one process of the desktop: JSON lines on stderr, since stdout belongs to answers and protocols. */
export function createLogger(name: string, level: 'info' | 'warn' = 'info'): Logger {
  // Synchronous: the last line before a crash is the one that is needed.
  return pino(
    { name, level, redact: ['token', 'apiKey', '*.token', '*.apiKey', '*.authorization'] },
    pino.destination({ dest: 2, sync: true }),
  )
}
