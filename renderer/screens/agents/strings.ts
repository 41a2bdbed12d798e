import type { AgentRow, Run } from '../../data/agents.ts'
import { locale } from '../../state/locale.ts'
import { count, dateAndTime, listDate, timeOfDay } from '../../text/when.ts'

const many = (amount: number): string => count(amount, locale)

const TRANSPORTS: Readonly<Record<AgentRow['transport'], string>> = {
  mcp: 'MCP',
  http: 'HTTP',
  cli: 'command line',
  unknown: 'HTTP or command line',
}

function thisWeek({ wrote, recalled }: AgentRow): string {
  if (wrote === 0 && recalled === 0) return 'nothing written or recalled this week'
  const parts = [wrote > 0 ? `wrote ${many(wrote)}` : '', recalled > 0 ? `recalled ${many(recalled)}` : '']
  return `${parts.filter(Boolean).join(', ')} this week`
}

function took(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return `${many(Math.max(1, Math.round(ms / 1000)))} s`
  if (minutes < 60) return `${many(minutes)} min`
  return minutes % 60 === 0 ? `${many(minutes / 60)} h` : `${many(Math.floor(minutes / 60))} h ${minutes % 60}`
}

export const AGENTS = {
  title: 'Agents',
  label: 'Agents',
  agent: 'Agent',
  transports: TRANSPORTS,
  sum: (connected: number, others: number) => {
    if (connected === 0 && others === 0) return 'nobody called yet'
    if (others === 0) return `${many(connected)} connected`
    return connected === 0 ? `${many(others)} seen` : `${many(connected)} connected, ${many(others)} seen`
  },
  thisWeek,
  folded: (amount: number) => `Not seen for 30 days: ${many(amount)}`,
  connect: 'Connect an app',
  opening: 'Looking who was here…',
  elsewhere: 'Who reads and writes is seen on the computer where Loom runs, by the person it belongs to.',
  failed: 'Who was here cannot be read now.',
  isConnected: 'connected',
  isAway: 'not connected',
  crumb: ({ transport, connected, first_at, last_at, last_op }: AgentRow, now: Date) => {
    const isToday = new Date(first_at).toDateString() === now.toDateString()
    const since = isToday ? timeOfDay(first_at, locale) : dateAndTime(first_at, locale)
    const standing = connected && transport === 'mcp' ? `, connected since ${since}` : ''
    return `${TRANSPORTS[transport]}${standing}, last call ${listDate(last_at, now, locale)}: ${last_op}`
  },
  wrote: 'written this week',
  recalled: 'recalled this week',
  waiting: (amount: number) => (amount === 1 ? 'waits in Review' : 'wait in Review'),
  graded: 'graded runs passed',
  of: (passed: number, graded: number) => `${many(passed)} of ${many(graded)}`,
  wroteLately: 'Wrote lately',
  wroteNothing: (place: string) => `Nothing of it is held in ${place}.`,
  recalledLately: 'Recalled lately',
  recalledNothing: 'It was served no memory in the last 30 days.',
  gone: 'no longer held',
  times: (amount: number) => (amount === 1 ? 'once' : amount === 2 ? 'twice' : `${many(amount)} times`),
  all: (amount: number) => `All ${many(amount)}`,
  allOf: 'All',
  fewer: 'Fewer',
  newest: (amount: number) => `The newest ${many(amount)}`,
  badges: { conflicted: 'Conflict', proposed: 'Proposal', duplicate: 'Duplicate' } as Readonly<Record<string, string>>,
  noAnswer: 'It cannot be read now.',
}

export const RUNS = {
  title: 'Runs',
  none: 'This agent named no run of its own.',
  more: 'Older runs',
  goal: 'Goal',
  started: 'Started',
  took: 'Took',
  recalled: 'Recalled',
  wrote: 'Wrote',
  grade: 'Grade',
  duration: ({ status, duration_ms }: Run) =>
    status === 'running' || status === 'cancelled' ? status : duration_ms === null ? '' : took(duration_ms),
  passed: (by: string) => (by ? `passed, by ${by}` : 'passed'),
  failed: (why: string, by: string) => (why ? `failed: ${why}` : by ? `failed, by ${by}` : 'failed'),
  notGraded: 'not graded',
  gradeIt: 'Grade it',
  pass: 'Passed',
  fail: 'Failed',
  cancel: 'Cancel',
  gradeOf: (goal: string) => `Grade of ${goal}`,
  graded: (goal: string, isPass: boolean) => `The run “${goal}” ${isPass ? 'passed' : 'failed'}.`,
}
