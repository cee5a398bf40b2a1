import { groupGiven } from '../../protocol/send/messageGroup.ts'
import type { DelayedRow } from '../../protocol/claim/delayed/delayedRow.ts'
import type { DelayedSender, Delays } from './delays.ts'
import { storePayloads, type Messenger, type QueueMessage } from '../../protocol/send/messenger.ts'
import { buildMessage, sizeOf } from '../../protocol/record/envelope/buildMessage.ts'
import type { LineclearAttributes } from '../../protocol/record/envelope/envelope.ts'
import { timesOf } from '../../protocol/record/envelope/lineclearAttributes.ts'
import { ConfigError, SendFailedError, toError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import { isFifo } from '../../protocol/send/queueUrl.ts'
import { isPermanent } from '../../protocol/send/refusal.ts'
import { MAX_DELAY_MS } from '../../protocol/send/retry.ts'
import type { OpenAttempt } from './effectScope.ts'
import {
  delayOf,
  outlasts,
  callOf,
  type CheckedSend,
  checkSend,
  type Route,
  textFor,
} from './checkSend.ts'
import type { Trace } from './trace.ts'
import type { PublishOptions, SendOptions, SentMessage } from './context.ts'

/** Holds a handler's messages until its other effects are done, so that no consumer acts on work that did not happen. */
export interface Outbox {
  add(
    route: Route,
    target: string,
    payload: unknown,
    options: SendOptions | PublishOptions,
    run?: SentInRun,
  ): SentMessage
  /** @throws SendFailedError when a message was not accepted; the next attempt sends it under the same id */
  flush(messenger: Messenger, over?: AbortSignal): Promise<void>
  /**
   * The name and the id of each message, as JSON, as many as fit into what a token may grow by without costing a write unit. The
   * name is the last part of its target, if it has none of its own. undefined: nothing was sent.
   */
  sent(): string | undefined
}

/** Characters. Half a dozen messages: an id has 43. */
const SENT_KEPT = 360

/** The attributes that a message to a stage of the same flow carries in addition. */
type SentInRun = Pick<LineclearAttributes, 'flow' | 'notBefore'>

interface OutgoingMessage {
  readonly route: Route
  readonly target: string
  readonly message: QueueMessage
}

/** @param sender the attempt whose messages they are */
export function openOutbox(sender: OpenAttempt): Outbox {
  const outgoing: OutgoingMessage[] = []
  const rows: DelayedRow[] = []
  const delayed: QueueMessage[] = []
  const used = new Map<string, number>()
  const sent: (readonly [string, string])[] = []
  return {
    add(route, target, payload, given, run) {
      const options = checkSend(route, target, given)
      const name = JSON.stringify([route, target, options.name])
      const index = used.get(name) ?? 0
      // @protects two messages of one name are refused
      if (index > 0 && options.name !== undefined) throw usedTwice(options.name, target)
      used.set(name, index + 1)
      const { uniqueRequestId, consumer } = sender.scope
      const id = stableId(
        // @protects each message has the same id in every attempt
        // @without String(Math.random())
        uniqueRequestId,
        consumer,
        name,
        String(index),
      )
      const shownAs = options.name ?? target.split(/[/:]/).at(-1) ?? ''
      if (JSON.stringify([...sent, [shownAs, id]]).length <= SENT_KEPT) sent.push([shownAs, id])
      const call = callOf(route, target)
      const waits = outlasts(target, options.delay)
      const delays = waits ? sender.delays : undefined
      const shown =
        waits && (delays ?? run) ? { ...options, delay: hidden(target, delays) } : options
      const { delay = 0 } = options
      // As old as if it were sent when it is due: else the delay would use up its receiver's retention, or the time of the flow
      // that it starts. No copy of it can be older, because its row is kept for the sender's retention.
      const owner = delays && !run ? { ...sender, takenAt: sender.now() + delay } : sender
      const build = (as: CheckedSend): QueueMessage =>
        write(owner, id, { call, target }, payload, as, run)
      const inMessage = build(shown)
      const message = isTooLarge(inMessage, sender, delays)
        ? build({ ...shown, maxBytes: sizeOf(inMessage) - 1 })
        : inMessage
      if (delays === undefined) outgoing.push({ route, target, message })
      else {
        delayed.push(message)
        rows.push(
          delays.rowOf(delayedBy(sender), {
            id,
            queue: target,
            message,
            delay,
            due: run?.notBefore,
          }),
        )
      }
      return { uniqueRequestId: id }
    },
    sent: () => (sent.length > 0 ? JSON.stringify(sent) : undefined),
    async flush(messenger, over) {
      if (outgoing.length + rows.length === 0) return
      const targets = Map.groupBy(outgoing, ({ route, target }) => `${route} ${target}`)
      const groups = [...targets.values()]
      const [unstored, ...refusals] = await Promise.all([
        store(sender, rows, delayed, over),
        ...groups.map((group) => deliver(sender.scope.trace, messenger, group, over)),
      ])
      if (unstored !== undefined) throw unstored
      const refused = refusals.flat()
      const worst = refused.find(({ permanent }) => permanent) ?? refused[0]
      // @protects a handler whose message was refused has not completed
      if (worst !== undefined) throw worst
    },
  }
}

function write(
  sender: OpenAttempt,
  id: string,
  { call, target }: { readonly call: string; readonly target: string },
  payload: unknown,
  options: CheckedSend,
  run: SentInRun | undefined,
): QueueMessage {
  const { sentAt, takenAt, envelope } = sender
  const { traceparent, hops } = envelope.carried
  const stamp = {
    uniqueRequestId: id,
    resendNumber: 0,
    hops: hops + 1,
    ...timesOf({ sentAt, takenAt }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...run,
  }
  const { attributes, maxBytes, event } = options
  const limits = { maxBytes, payloads: event === undefined ? sender.payloads : (false as const) }
  const message = buildMessage(textFor(call, payload, options), attributes, stamp, limits)
  if (event !== undefined) return { ...message, event }
  const groupId = options.groupId === 'inherit' ? envelope.tenant : options.groupId
  return { ...message, ...delayOf(options, target), ...groupGiven(target, groupId, id) }
}

/** A row holds less than a message does. */
function isTooLarge(
  message: QueueMessage,
  { payloads }: OpenAttempt,
  delays: Delays | undefined,
): boolean {
  return payloads !== undefined && delays?.fits(message) === false
}

/**
 * The delay that the queue itself makes of a longer one, milliseconds: its longest. undefined: none, because the message is stored in
 * the table, or because a FIFO queue delays no single message. A stage that gets its message too early hides it.
 */
function hidden(target: string, delays: Delays | undefined): number | undefined {
  return delays !== undefined || isFifo(target) ? undefined : MAX_DELAY_MS
}

async function store(
  sender: OpenAttempt,
  rows: readonly DelayedRow[],
  delayed: readonly QueueMessage[],
  over: AbortSignal | undefined,
): Promise<Error | undefined> {
  if (rows.length === 0) return undefined
  const unstored = await storePayloads(delayed).then(() => undefined, toError)
  if (unstored !== undefined) return unstored
  over?.throwIfAborted()
  return sender.delays?.keep(sender.scope.store, rows)
}

function delayedBy({ scope, results, now }: OpenAttempt): DelayedSender {
  return { ...scope, keepFor: results.keepFor, now }
}

async function deliver(
  trace: Trace | undefined,
  messenger: Messenger,
  outgoing: readonly OutgoingMessage[],
  over: AbortSignal | undefined,
): Promise<readonly SendFailedError[]> {
  const [first] = outgoing
  if (first === undefined) return []
  const messages = outgoing.map(({ message }) => message)
  const { route, target } = first
  const outcomes = await (trace === undefined
    ? messenger[route](target, messages, over)
    : trace.send({ route, target, count: messages.length }, ({ stamp }) =>
        messenger[route](target, messages.map(stamp), over),
      ))
  return outcomes.flatMap((refusal, at) => {
    const message = messages[at]
    return refusal === undefined || message === undefined ? [] : refusedBy(target, message, refusal)
  })
}

function refusedBy(target: string, message: QueueMessage, cause: Error): SendFailedError {
  const permanent = isPermanent(cause)
  const size = permanent ? `, which has ${sizeOf(message)} bytes` : ''
  const next = permanent
    ? 'trying again cannot help: a record is dead-lettered, and sends what is missing when it is redriven'
    : 'the next attempt sends it again'
  return new SendFailedError(
    `${target} did not take a message (${cause.message})${size}; ${next}, with the same message ids`,
    { cause, permanent },
  )
}

function usedTwice(name: string, target: string): ConfigError {
  return new ConfigError(
    `name: '${name}' names two messages for ${target}; the second would be taken for a copy of the first`,
  )
}
