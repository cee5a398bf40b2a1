import type { EventBridgeEvent } from 'aws-lambda'
import { type BusDelivery, readDelivery } from '../envelope/busDelivery.ts'
import type { OpenedEvent } from '../envelope/envelope.ts'
import { isObject } from '../../../base/kindOf.ts'
import { parseObject } from '../envelope/json.ts'
import { isUniqueRequestId } from '../envelope/lineclearAttributes.ts'
import { toTime } from '../../../base/time.ts'
import { MAX_NESTING } from '../message/parsePayload.ts'
import { memberText } from './memberText.ts'

type Event = EventBridgeEvent<string, Readonly<Record<string, unknown>>>

const TEXTS = ['version', 'detail-type', 'source', 'account', 'time', 'region'] as const

/** What a rule of EventBridge, or a Custom Event Bus, has put on the queue. */
export interface ReadEvent {
  /** undefined: it was put on a Custom Event Bus as something else (`PutRawEvents`). */
  readonly event: Event | undefined
  /** The text of the event, or of what was put in its place. */
  readonly text: string
  readonly delivery: BusDelivery | undefined
  readonly id: string
  /** The replay that it comes from. A Custom Event Bus names none: all its replays have one name. */
  readonly replay: string | undefined
  /** Epoch milliseconds. */
  readonly sentAt?: number
  /** When the service accepted it, if the queue's time says nothing about its age. Epoch milliseconds. */
  readonly takenAt?: number
}

/** @returns undefined: the body is something else; `refusal`: why its event cannot be read */
export function readEvent(body: string): ReadEvent | { readonly refusal: string } | undefined {
  // Three searches rule out nearly every other body without a parse.
  const isLikely = body.includes('"detail-type"') && body.includes('"detail"')
  if (!isLikely && !body.includes('"aws:DeliveryType"')) return undefined
  const value = parseObject(body)
  if (value === undefined) return undefined
  if (isEvent(value)) return eventOf(value, body, undefined)
  const delivery = readDelivery(value)
  if (delivery === undefined) return undefined
  // @protects what may be an event, and has no identity that can be read, is not run under another one
  // @without false
  if (typeof delivery === 'string') {
    return {
      refusal: `an event of a Custom Event Bus that cannot be read: ${delivery}. It was not run.`,
    }
  }
  const { data } = delivery
  const event = isObject(data) && isEvent(data) ? data : undefined
  return eventOf(event, memberText(body, 'Data'), delivery)
}

/**
 * A replayed event was accepted long before the queue accepted it, and a Custom Event Bus keeps events for up to a year: its age counts from
 * its own time, because it would run again once its token is gone.
 */
function eventOf(
  event: Event | undefined,
  text: string,
  delivery: BusDelivery | undefined,
): ReadEvent {
  const sentAt = toTime(event?.time) ?? delivery?.takenAt
  const replay = event?.['replay-name'] ?? (delivery?.isReplay === true ? 'REPLAY' : undefined)
  const takenAt = delivery?.takenAt ?? (replay === undefined ? undefined : sentAt)
  return {
    event,
    text,
    delivery,
    id: delivery?.id ?? event?.id ?? '',
    replay,
    ...(sentAt !== undefined && { sentAt }),
    ...(takenAt !== undefined && { takenAt }),
  }
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
