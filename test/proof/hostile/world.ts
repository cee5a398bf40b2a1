import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import type { TestOptions } from 'vitest'
import { type World, type WorldName, WORLDS } from './worlds.ts'

const NAME = (env['LINECLEAR_WORLD'] ?? 'calm') as WorldName

/** The mode that this process runs in. */
export const world: World = worldNamed(NAME)
export const isCalm: boolean = NAME === 'calm'

function worldNamed(name: WorldName): World {
  const found = WORLDS.get(name)
  if (found === undefined) {
    throw new Error(`LINECLEAR_WORLD: expected one of ${[...WORLDS.keys()].join()}; got ${name}`)
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

/** Tests that do not apply in these modes. */
export function notIn(worlds: readonly Exclude<WorldName, 'calm'>[], why: string): TestOptions {
  return only(
    [...WORLDS.keys()].filter((name) => !worlds.some((each) => each === name)),
    why,
  )
}

function only(worlds: readonly WorldName[], why: string): TestOptions {
  const isOut = !worlds.includes(NAME)
  if (isOut) list('left out', why)
  return { skip: isOut }
}

/** For `npm run hostile`, which prints them all. */
function list(kind: 'narrowed' | 'left out', why: string): void {
  const file = env['LINECLEAR_WORLD_NOTES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ world: NAME, kind, why })}\n`)
}
