import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import type { TestOptions } from 'vitest'
import { type HostileMode, type ModeName, HOSTILE_MODES } from './modes.ts'

const NAME = (env['LINECLEAR_HOSTILE_MODE'] ?? 'calm') as ModeName

/** The mode that this process runs in. */
export const mode: HostileMode = modeNamed(NAME)
export const isCalm: boolean = NAME === 'calm'

function modeNamed(name: ModeName): HostileMode {
  const found = HOSTILE_MODES.get(name)
  if (found === undefined) {
    throw new Error(
      `LINECLEAR_HOSTILE_MODE: expected one of ${[...HOSTILE_MODES.keys()].join()}; got ${name}`,
    )
  }
  return found
}

/** Details of the deliveries, not of the effects: they hold only where nothing goes wrong. */
const DETAILS = {
  deliveries: 'how each single delivery ended, and how many there were',
  runs: 'how often a handler ran: one that was killed runs again',
  requests: 'how many requests went out',
  time: 'when it was',
  lines: 'what the log says, line by line',
} as const

/** For one assertion. `npm run hostile` counts each. */
export function inCalm(detail: keyof typeof DETAILS, check: () => void): void {
  if (isCalm) check()
  else list('narrowed', DETAILS[detail])
}

/** Tests whose very subject is a fault of their own, or a count that every fault changes. */
export function calmOnly(why: string): TestOptions {
  return only(['calm'], why)
}

/**
 * Tests that do not apply in these modes. Reads behind their writes concern only what is delivered again, so the mode of stale reads
 * makes each delivery twice: what does not apply there does not apply here.
 */
export function notIn(modes: readonly Exclude<ModeName, 'calm'>[], why: string): TestOptions {
  const out = new Set<ModeName>(modes)
  if (out.has('twice')) out.add('stale')
  return only(
    [...HOSTILE_MODES.keys()].filter((name) => !out.has(name)),
    why,
  )
}

function only(modes: readonly ModeName[], why: string): TestOptions {
  const isOut = !modes.includes(NAME)
  if (isOut) list('left out', why)
  return { skip: isOut }
}

/** For `npm run hostile`, which prints them all. */
function list(kind: 'narrowed' | 'left out', why: string): void {
  const file = env['LINECLEAR_HOSTILE_NOTES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ mode: NAME, kind, why })}\n`)
}
