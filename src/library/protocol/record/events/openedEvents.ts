import type { EventBridgeEvent } from 'aws-lambda'
import type { OpenedEvent, Envelope } from '../envelope/envelope.ts'
import { isObject } from '../../../base/kindOf.ts'
import { parseObject } from '../envelope/json.ts'
import { isUniqueRequestId } from '../envelope/lineclearAttributes.ts'
import { toTime } from '../../../base/time.ts'
import { MAX_NESTING } from '../message/parsePayload.ts'

type Event = EventBridgeEvent<string, Readonly<Record<string, unknown>>>

const TEXTS = ['version', 'detail-type', 'source', 'account', 'time', 'region'] as const

/** The event of EventBridge that `body` is. undefined: it is something else. */
export function readEventBridge(body: string): Event | undefined {
  // Two searches rule out nearly every other body without a parse.
  if (!body.includes('"detail-type"') || !body.includes('"detail"')) return undefined
  const event = parseObject(body)
  return event !== undefined && isEvent(event) ? event : undefined
}

function isEvent(event: object): event is Event {
  const fields = new Map<string, unknown>(Object.entries(event))
  const replay = fields.get('replay-name')
  return (
    TEXTS.every((name) => typeof fields.get(name) === 'string') &&
    isUniqueRequestId(fields.get('id')) &&
    Array.isArray(fields.get('resources')) &&
    isObject(fields.get('detail')) &&
    (replay === undefined || typeof replay === 'string')
  )
}

/** Why an event that is admitted cannot be read. */
export function versionProblem({ version }: Event): string | undefined {
  if (version === '0') return undefined
  return `an event of EventBridge in version ${JSON.stringify(version.slice(0, 20))}: only version 0 is known. It was not run.`
}

/**
 * Times of an event. A replayed event was accepted long before the queue accepted it, so its age counts from its own time:
 * once its token is gone, it would run again.
 */
export function timesOfEvent(
  event: Event,
): Pick<NonNullable<Envelope['event']>, 'sentAt' | 'takenAt'> {
  const sentAt = toTime(event.time)
  if (sentAt === undefined) return {}
  return event['replay-name'] === undefined ? { sentAt } : { sentAt, takenAt: sentAt }
}

/** Equal for equal values, whatever the order of their fields: an archive may write them in another order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(
          Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : part,
  )
}

/** For the log, and for the dead letter if the schema refuses the body as it is. */
export function unlisted(what: string): string {
  return `It looks like ${what}. It was not opened. If it belongs here, add it there, deploy, and redrive its dead letter.`
}

const MOST_SHOWN = 5

/** What an option admits, for errors. */
export function listed(admitted: readonly string[] | 'any' | undefined): string {
  if (admitted === undefined || admitted === 'any') return 'any'
  const more = admitted.length - MOST_SHOWN
  return admitted.slice(0, MOST_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** JSON.parse reads any nesting, and JSON.stringify overflows the stack. */
export function unlessTooDeep(open: () => OpenedEvent | undefined): OpenedEvent | undefined {
  try {
    return open()
  } catch (error) {
    // @protects a deep event is refused, and not left on the queue
    // @without true
    if (!(error instanceof RangeError)) throw error
    return { refusal: `the event is nested more than ${MAX_NESTING} levels deep` }
  }
}
