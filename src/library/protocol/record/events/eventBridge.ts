import * as option from '../../../base/options.ts'
import { stableId } from '../../../base/ids.ts'
import type { EventFormat, OpenedEvent } from '../envelope/envelope.ts'
import { eventStampOf } from '../envelope/eventStamp.ts'
import { exactValue, memberText } from './memberText.ts'
import {
  type ReadEvent,
  readEvent,
  versionProblem,
  canonicalJson,
  unlisted,
  listed,
  unlessTooDeep,
} from './openedEvents.ts'

/**
 * Which events of EventBridge are opened, and what the handler gets.
 * @example const options: EventBridgeOptions = { sources: ['my.shop'] }
 */
export interface EventBridgeOptions {
  /** Values of `source` (`aws:Source`) that are opened, such as `['my.shop']`. Default: every source, also none. */
  readonly sources?: readonly string[]
  /** Accounts whose events are opened, 12 digits each. Default: the account of the queue, and what names none. `'any'`: every account. */
  readonly accounts?: readonly string[] | 'any'
  /**
   * What the schema, `id` and the handler get: `'detail'` (default), or `'event'`, the whole event, so that a schema can tell
   * several detail types apart. With either, the whole event is in `ctx.envelope.eventBridge`. What PutRawEvents has put on a Custom
   * Event Bus is no such event: `'event'` gives `{ Data, Metadata, SystemMetadata }`.
   */
  readonly payload?: 'detail' | 'event'
  /**
   * What a replay from an archive is. `'once'` (default): the same request as the original, so that only what was lost runs; a
   * replay of events that are older than `retention` is dead-lettered as `too old`. `'again'`: a request of its own for each
   * `replay-name`, so that everything runs again; a Custom Event Bus names no replay, so all its replays of an event are one.
   */
  readonly replays?: 'once' | 'again'
}

const OPTIONS: option.Checks<EventBridgeOptions> = {
  sources: option.listOf(/^.{1,256}$/, "a list of sources, such as ['my.shop']"),
  accounts: option.orAny(option.listOf(/^\d{12}$/, "a list of account ids of 12 digits, or 'any'")),
  payload: option.oneOf('detail', 'event'),
  replays: option.oneOf('once', 'again'),
}

/**
 * For the option `envelopes`: opens events that a rule of EventBridge puts on the queue, directly or through an `snsTopic()`. The
 * payload is `detail` as it was written, the identity the event's `id`, and `ctx.sentAt` its `time`, which has whole seconds. A rule
 * that fires twice for one event, and two rules for one queue, give one request. A body that only looks like an event of another
 * source or account remains payload. Who may send to the queue is decided by its policy, not by what a body says.
 *
 * It also opens what a subscriber of a Custom Event Bus delivers with `Transformer.Type: WITH_METADATA`, under `aws:EventId`: what
 * PutEvents has put there is such an event; else the payload is `Data`, and `ctx.sentAt` is `aws:IngestionTime`. One without an id is
 * dead-lettered as `rejected`.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * export const handler = recordHandler(
 *   { name: 'parcels', store, schema: ParcelMoved, envelopes: [eventBridge({ sources: ['my.shop'] })] },
 *   async ({ parcelId, place }, ctx) => {
 *     const guard = newerThan('movedAt', ctx.sentAt)
 *     await ctx.write('move', { TableName: 'parcels', Key: { parcelId }, set: { place }, guard })
 *   },
 * )
 */
export function eventBridge(options: EventBridgeOptions = {}): EventFormat {
  option.checkOptions('eventBridge', options, OPTIONS)
  return {
    open: (body, queueArn, now) => unlessTooDeep(() => open(body, { queueArn, now }, options)),
  }
}

function open(
  body: string,
  { queueArn, now }: { readonly queueArn: string; readonly now: number },
  { sources, accounts, payload = 'detail', replays = 'once' }: EventBridgeOptions,
): OpenedEvent | undefined {
  const read = readEvent(body)
  if (read === undefined || 'refusal' in read) return read
  const { event, text, delivery, sentAt, takenAt } = read
  const own = accountOf(queueArn) ?? ''
  const admitted = accounts ?? [own]
  const source = delivery?.source ?? event?.source
  // What names no account was delivered by a subscriber, which delivers to queues of its own account only.
  const account = event?.account ?? (accounts === undefined ? own : undefined)
  if (
    sources?.some((each) => each === source) === false ||
    // @protects only events of the own account choose an identity
    (admitted !== 'any' && !admitted.some((each) => each === account))
  ) {
    const opened = `sources: ${listed(sources)}; accounts: ${listed(admitted)}`
    return notAdmitted({ source, account }, opened)
  }
  const refusal = event && versionProblem(event)
  if (refusal !== undefined) return { refusal }
  const again = replays === 'again' ? read.replay : undefined
  const stamp = event && eventStampOf(event.resources, now)
  return {
    body: payload === 'detail' ? detailIn(read) : event === undefined ? body : text,
    ...(event !== undefined && { eventBridge: event }),
    // A PutEvents that was repeated has made two events with one stamp: replayed, they are one request, too.
    ...(again === undefined && stamp !== undefined && { stamp }),
    event: {
      id: again === undefined ? read.id : stableId('replay', stamp?.id ?? read.id, again),
      ...(sentAt !== undefined && { sentAt }),
      ...(takenAt !== undefined && again === undefined && { takenAt }),
      fingerprint: fingerprintOf(read),
    },
  }
}

function detailIn({ event, text }: ReadEvent): string {
  return event === undefined ? text : memberText(text, 'detail')
}

function fingerprintOf(read: ReadEvent): string {
  const { event, delivery } = read
  const content = exactValue(detailIn(read))
  return canonicalJson(
    event === undefined
      ? [content, delivery?.metadata]
      : [event.source, event.account, event['detail-type'], content],
  )
}

/** The log shows texts of an unknown sender only if they have this form. */
const LOGGED = /^[\w./-]{1,256}$/

function notAdmitted(
  from: Readonly<Record<'source' | 'account', string | undefined>>,
  opened: string,
): OpenedEvent | undefined {
  const { source = 'UNKNOWN', account = 'UNKNOWN' } = from
  if (!LOGGED.test(source) || !LOGGED.test(account)) return undefined
  return {
    unlisted: unlisted(
      `an event of EventBridge from the source ${source} in the account ${account}, and eventBridge() opens ${opened}`,
    ),
  }
}

/** `arn:aws:sqs:REGION:ACCOUNT:NAME` */
function accountOf(queueArn: string): string | undefined {
  return queueArn.split(':')[4]
}
