import type { Clock } from '../../library/base/clock.ts'
import { isoTime } from '../../library/base/time.ts'
import type { LogLine } from '../../testing/local/observe/event.ts'

/** Version of the shape of all answers, of commands and of routes. It rises when a field is removed, or gets another meaning. */
export const JSON_VERSION = 2

export type JsonObject = Readonly<Record<string, unknown>>

export interface Reply {
  readonly status: number
  readonly body: JsonObject
}

/** What a command prints with `--json`, and what the page says about it. */
export function replyOf({ exit, line, cost, answer }: CommandAnswer): Reply {
  const { version, at, command, ...rest } = answer
  return { status: STATUS[exit], body: { version, at, command, line, exit, cost, ...rest } }
}

/** The answer of a route that runs no command, or has not waited for its end. */
export function replyAt(clock: Clock, fields: object, status = 200): Reply {
  return { status, body: { version: JSON_VERSION, at: isoTime(clock.now()), ...fields } }
}

/** That something was found, refused or not found is an answer. */
const STATUS = { 0: 200, 1: 200, 2: 400, 3: 502, 4: 200 } as const

/** What is wrong with a request: the HTTP status of its answer, and its words for the page. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly status: number
  /** The methods that are allowed, of a 405. */
  readonly allow: string | undefined

  constructor(status: number, message: string, allow?: string) {
    super(message)
    this.status = status
    this.allow = allow
  }
}

/** An attempt that failed, or a message that was refused. */
export interface Thrown {
  readonly error: string
  /** Where in the handler's files. @example 'handlers.ts:12:9' */
  readonly place: string | undefined
  readonly request: string | undefined
  /** Dead-lettered. Otherwise it is tried again. */
  readonly isDead: boolean
}

/** Its message is deleted from the queue all the same, so that only this line shows it. */
export function thrownIn({ message, fields }: LogLine): Thrown | undefined {
  const { error, stack, uniquerequestid: request } = fields
  if (!FAILED.test(message) || typeof error !== 'string') return undefined
  return {
    error,
    place: typeof stack === 'string' ? placeIn(stack) : undefined,
    request: typeof request === 'string' ? request : undefined,
    isDead: DEAD.test(message),
  }
}

/** `TypeError: no tariff at handlers.ts:12:9` */
export function thrownText({ error, place }: Thrown): string {
  return place === undefined ? error : `${error} at ${place}`
}

/** As a consumer logs that an attempt failed, or that it runs none. */
const FAILED = /^(failed, will be retried|.*dead-lettered\b)/
const DEAD = /dead-lettered\b/

/** The first frame that is no package's and not Node's. */
function placeIn(stack: string): string | undefined {
  const frames = stack.split('\n').filter((line) => !/node_modules|node:/.test(line))
  return /[^\s(/\\]+:\d+:\d+/.exec(frames[0] ?? stack)?.[0]
}

/** What AWS bills for one answer: requests to DynamoDB, their capacity units, and requests to SQS. */
export interface AnswerCost {
  readonly queries: number
  /** As DynamoDB reports them; 0 where it reports none. */
  readonly units: number
  /** Every request to SQS is billed alike: receiving, listing queues, reading their attributes. */
  readonly receives: number
}

export interface CommandAnswer {
  /** 0: done. 1: something was found, or refused. 2: wrong arguments. 3: no answer from the table or AWS. 4: not found. */
  readonly exit: 0 | 1 | 2 | 3 | 4
  readonly line: string
  readonly answer: JsonObject
  readonly cost: AnswerCost
}

/**
 * Runs a command of `lineclear` in this process, on the table and queues that this one was started for.
 * @param args the command's name, and its arguments
 * @param signal ends it at its next safe point, as Ctrl-C does
 */
export type Again = (args: readonly string[], signal?: AbortSignal) => Promise<CommandAnswer>

/** What the page shows of the place it works on. */
export interface Session {
  /** The local cloud, not an account. */
  readonly local: boolean
  readonly table: string
  readonly region: string | undefined
  /** Number of the account, if the table could be described. */
  readonly account: string | undefined
  /** What would be deployed, if the local cloud names it. As `GET /api/doctor` takes it. */
  readonly template?: string | undefined
  /** Whether the routes that change something exist. */
  readonly canChange: boolean
  /** Whether it runs beside `lineclear dev`. */
  readonly dev: boolean
  /** Whether there are live events: `GET /api/events`. */
  readonly live: boolean
  readonly version: string
  readonly user: string
}
