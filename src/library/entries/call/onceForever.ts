import * as option from '../../base/options.ts'
import {
  outcomeOrThrow,
  type Comparable,
  type Condition,
  type Item,
  type StoreKey,
  type Store,
} from '../../protocol/store/store.ts'
import { systemClock } from '../../base/clock.ts'
import { ConfigError, RejectedError } from '../../base/errors.ts'
import { missingIn, stableId } from '../../base/ids.ts'
import { sortableId } from '../../base/sortableId.ts'
import { isoTime } from '../../base/time.ts'
import { jsonLogger, safeLogger } from '../../base/logger.ts'
import type { OnceMetric } from '../../features/metrics/metrics.ts'
import { aName, type KeyOptions, outcomeCounter } from './keyConfig.ts'
import { awsMessenger } from '../../adapters/send/awsMessenger.ts'
import type { Clients } from '../../protocol/send/messenger.ts'
import { describeKey, eventPk } from './readKey.ts'
import {
  type EnqueueOptions,
  markQueued,
  pendingAttributes,
  type PendingEvent,
  pendingEventFor,
  readPendingEvent,
  sendPendingEvent,
} from './pendingEvents.ts'

/** Options of `onceForever`. */
interface OnceForeverOptions extends Pick<KeyOptions, 'logger' | 'metrics' | 'clock'> {
  /** Where keys are stored, such as `dynamoDbStore({ tableName })`. */
  readonly store: Store
  /** Keeps keys apart: one name for each kind of event, such as `'callbacks'`. Required. */
  readonly name: string
  /** Sends for `thenEnqueue`. Default: a client of its own. */
  readonly clients?: Clients | undefined
}

/** Keys that are taken once and never released; made by `onceForever`. */
export interface OnceForever {
  /**
   * True for exactly one caller, ever; one request to the store. If that caller dies before its work is done, the work is lost:
   * use `thenEnqueue` where it must not be.
   * @param attributes stored with the key
   * @throws StoreUnavailableError when the store does not answer: do not acknowledge the event
   * @throws RejectedError when the key is empty or too long
   * @example
   * if (await welcomes.acquire(userId)) await sendWelcomeMail(userId)
   */
  acquire(key: string, attributes?: Readonly<Record<string, Comparable>>): Promise<boolean>
  /**
   * Accepts an event once and puts it on a queue, always under the same id, so that a Lineclear consumer runs it once. The event
   * is stored before it is sent: if the caller dies anywhere in between, the event's duplicate or the sweeper queues it. When
   * this resolves, with any value, acknowledge the event. A key that was only acquired has no event yet, and gets this
   * one.
   * @throws RejectedError when a different payload was accepted under this key: this one is not queued
   * @throws SendFailedError, StoreUnavailableError: do not acknowledge, so that the sender delivers the event again
   * @throws TerminalError, ConfigError when the message cannot be sent as it is: nothing was accepted
   * @example
   * await callbacks.thenEnqueue(callback.transactionId, callback, { queueUrl })
   * return { statusCode: 202 }
   */
  thenEnqueue(
    key: string,
    payload: unknown,
    to: EnqueueOptions,
  ): Promise<'queued' | 'queued again' | 'duplicate'>
}

/**
 * Keys that are taken once and never released: their items have no `ttl`. For webhooks and other events whose duplicates can
 * arrive at any time.
 * @throws ConfigError at once, naming the option, when an option is wrong or does not exist
 * @example
 * import { onceForever } from 'lineclear'
 * import { dynamoDbStore } from 'lineclear/dynamodb'
 *
 * const store = dynamoDbStore({ tableName: 'lineclear' })
 * const callbacks = onceForever({ store, name: 'callbacks' })
 */
export function onceForever(options: OnceForeverOptions): OnceForever {
  option.checkOptions('onceForever', options, OPTIONS)
  const { store, name, clock = systemClock } = options
  const logger = safeLogger(options.logger ?? jsonLogger())
  const counter = outcomeCounter<OnceMetric>(options.metrics, store, logger)
  const count = (outcome: OnceMetric): void => counter(name, outcome)
  /** Counts when `work` fails, and changes nothing else. */
  const orCount = async <Done>(work: Promise<Done>, failed: OnceMetric): Promise<Done> => {
    try {
      return await work
    } catch (error) {
      count(failed)
      throw error
    }
  }
  const messenger = awsMessenger({ ...options.clients, inMemory: store.inMemory })

  const queue = async (pending: PendingEvent, at: StoreKey, to: EnqueueOptions): Promise<void> => {
    await sendPendingEvent({ ...pending, queueUrl: to.queueUrl }, messenger)
    const [marked] = await store.update([markQueued(at, clock.now())])
    if (marked?.kind === 'applied' || marked?.kind === 'refused') return
    logger.warn('queued, but not marked as queued: it may be queued again, under the same id', {
      name,
      pk: at.pk,
      error: marked?.error.message,
    })
  }
  return {
    async acquire(key, attributes = {}) {
      checkAttributes(attributes)
      const at = onceKey(name, key)
      const created = createItem(store, at, attributes, clock.now())
      const mine = (await orCount(created, 'unavailable')) === 'mine'
      count(mine ? 'acquired' : 'duplicate')
      return mine
    },
    async thenEnqueue(key, payload, to) {
      const at = onceKey(name, key, payload)
      const now = clock.now()
      const id = stableId('once', name, key)
      const own = pendingEventFor(id, payload, to, now)
      const accepted = pendingAttributes(at.pk, own, { payload, ...to }, now)
      const taken = await orCount(acceptEvent(store, at, accepted, now), 'unavailable')
      const pending = taken === 'mine' ? own : readPendingEvent(taken)
      if (pending !== undefined) await orCount(queue(pending, at, to), 'notQueued')
      const [end, outcome] = endOf(taken, pending, accepted)
      count(outcome)
      if (end === undefined) throw otherPayload()
      return end
    },
  }
}

type End = Awaited<ReturnType<OnceForever['thenEnqueue']>>

/** @returns undefined: a different payload was accepted */
function endOf(
  taken: 'mine' | Item,
  pending: PendingEvent | undefined,
  accepted: Item,
): readonly [End | undefined, OnceMetric] {
  if (taken === 'mine') return ['queued', 'queued']
  if (hasOtherPayload(taken, accepted)) return [undefined, 'conflict']
  return pending === undefined ? ['duplicate', 'duplicate'] : ['queued again', 'queuedAgain']
}

/** @returns the stored item when an event was accepted under this key before */
async function acceptEvent(
  store: Store,
  at: StoreKey,
  accepted: Readonly<Record<string, Comparable>>,
  now: number,
): Promise<'mine' | Item> {
  const taken = await createItem(store, at, accepted, now)
  if (taken === 'mine' || !isOnlyAcquired(taken)) return taken
  const where: readonly Condition[] = [
    { exists: 'created' },
    // @protects an event that was accepted is not replaced by another one
    ...ONLY_ACQUIRED,
  ]
  const outcome = outcomeOrThrow(await store.update([{ key: at, where, set: accepted }]))
  if (outcome.kind === 'applied') return 'mine'
  // The answer to my own write may have been lost. Then this very event is stored already, and it is sent as stored.
  return outcome.item ?? {}
}

/** Whether the key was taken by `acquire`, so that it has no event yet. */
function isOnlyAcquired(item: Item): boolean {
  return EVENT_ATTRIBUTES.every((name) => item[name] === undefined)
}

const EVENT_ATTRIBUTES = ['status', 'letter', 'queued'] as const
const ONLY_ACQUIRED: readonly Condition[] = EVENT_ATTRIBUTES.map((absent) => ({ absent }))

function hasOtherPayload(taken: Item, own: Item): boolean {
  // @protects another payload under one event is refused
  // @without false
  return taken['payloadHash'] !== own['payloadHash']
}

const OPTIONS: option.Checks<OnceForeverOptions> = {
  store: option.aStore,
  name: option.required(aName),
  clients: option.someClients,
  logger: option.aLogger,
  metrics: option.someMetrics,
  clock: option.aClock,
}

function otherPayload(): RejectedError {
  return new RejectedError(
    'thenEnqueue: a different payload was accepted under this key before; this one was not queued. If the provider has delivered one ' +
      'event again with a counter or a time changed, answer it as accepted (2xx), and name the fields that make it the same, such as ' +
      "mustAgree: ['id', 'type']; else give each event a key of its own",
  )
}

/** @returns the stored item when another caller was first */
async function createItem(
  store: Store,
  at: StoreKey,
  attributes: Item,
  now: number,
): Promise<'mine' | Item> {
  const acquiredBy = sortableId(now)
  const created = isoTime(now)
  const outcome = outcomeOrThrow(
    await store.create([{ ...attributes, ...at, created, acquiredBy }]),
  )
  // The SDK retries a write whose answer was lost. Then our own item is what refused the write.
  // @protects a key that was taken is taken for ever
  // @without true
  const mine = outcome.kind === 'applied' || outcome.item?.['acquiredBy'] === acquiredBy
  return mine ? 'mine' : (outcome.item ?? {})
}

function onceKey(name: string, key: unknown, payload?: unknown): StoreKey {
  const isKey = typeof key === 'string' && key !== '' && missingIn(key, payload) === undefined
  const pk = isKey ? eventPk(name, key) : undefined
  if (pk !== undefined) return { pk, sk: 'once' }
  throw new RejectedError(
    `onceForever: expected key to be a text of at most 2,000 bytes; got ${describeKey(key)}. Nothing was acquired`,
  )
}

const RESERVED_ATTRIBUTES = [
  'pk',
  'sk',
  'created',
  'acquiredBy',
  'status',
  'statusShard',
  'dueAt',
  'format',
  'letter',
  'payloadHash',
  'queued',
  'ttl',
]

function checkAttributes(attributes: Readonly<Record<string, Comparable>>): void {
  const own = Object.keys(attributes).find((name) => RESERVED_ATTRIBUTES.includes(name))
  if (own === undefined) return
  throw new ConfigError(
    `acquire: attributes: ${own} is an attribute of the lock itself; use another name`,
  )
}
