/** How the code that loads models tells what it is doing. */
export interface LoadReport {
  /** `fraction` is 0 to 1 within the step. */
  progress(step: string, fraction: number): void
  log(level: 'info' | 'warn' | 'error', message: string, cause?: unknown): void
}
