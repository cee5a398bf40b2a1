import type { EventBridgeEvent } from 'aws-lambda'
import { isObject } from '../../base/kindOf.ts'
import { parseObject } from '../envelope/json.ts'
import { isUniqueRequestId } from '../envelope/lineclearAttributes.ts'
import { toTime } from '../../base/time.ts'
import type { Envelope } from '../envelope/envelope.ts'

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
