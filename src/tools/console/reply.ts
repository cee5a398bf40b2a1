import type { CommandAnswer } from './again.ts'

/** Of the shape of all answers, of commands and of routes. It rises when a field is removed, or gets another meaning. */
export const JSON_VERSION = 2

/** An answer of a route, before it is written as JSON. */
export interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** What a command prints with `--json`, and what the page says about it. */
export function replyOf({ exit, line, cost, answer }: CommandAnswer): Reply {
  const { version, at, command, ...rest } = answer
  return { status: STATUS[exit], body: { version, at, command, line, exit, cost, ...rest } }
}

/** That something was found, refused or not found is an answer. */
const STATUS = { 0: 200, 1: 200, 2: 400, 3: 502, 4: 200 } as const
