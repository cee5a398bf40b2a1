import type { LogLine } from '../../testing/local/observe/event.ts'

/** An attempt that failed, or a message that was refused. */
export interface Thrown {
  readonly error: string
  /** Where in the handler's files. @example 'handlers.ts:12:9' */
  readonly place: string | undefined
  readonly request: string | undefined
  /** Dead-lettered. Otherwise it is tried again. */
  readonly isDead: boolean
}

/** Its message has left the queue all the same, so that only this line tells. */
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
