import type { SQSClient } from '@aws-sdk/client-sqs'
import { type Clock, systemClock } from '../clock.ts'
import type { AttributeInput } from '../envelope/checkAttributes.ts'
import { buildMessage } from '../envelope/outgoing.ts'
import { ConfigError, RejectedError, StoreUnavailableError } from '../errors.ts'
import { sortableId, stableId } from '../ids.ts'
import { isoTime } from '../isoTime.ts'
import { jsonLogger, type Logger } from '../logger.ts'
import { awsMessenger } from '../queue/awsMessenger.ts'
import { isFifo } from '../queue/queueUrl.ts'
import type { Comparable, Item, Key, Store } from '../store/store.ts'
import { acceptedAttributes, type Letter, letterOf, queued, sendLetter } from './accepted.ts'
import { checkScope, describeKey, keyOfEvent } from './scope.ts'

export interface OnceForeverOptions {
  /** Keeps keys apart: one per kind of event. Default `default`. */
  readonly scope?: string
  readonly sqs?: SQSClient
  /** Structural: Powertools Logger fits. Default: JSON lines. */
  readonly logger?: Logger
  /** For tests. */
  readonly clock?: Clock
}

export interface EnqueueOptions {
  readonly queueUrl: string
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** FIFO queues. */
  readonly groupId?: string
}

export interface OnceForever {
  /**
   * True for one caller, ever; one call to the store, no matter how many ask at once. Whoever dies after it, before its
   * work is safe, loses the work: `thenEnqueue` does not.
   * @param attributes are stored with the key.
   * @throws StoreUnavailableError when the store gives no answer: do not acknowledge then.
   */
  acquire(key: string, attributes?: Readonly<Record<string, Comparable>>): Promise<boolean>
  /**
   * Accepts an event once and puts it on a queue, under an id that is always the same. The event is stored before it is
   * sent: when this fails anywhere, its duplicate, or the sweeper, queues it. Acknowledge whatever it resolves to.
   * @throws QueueRefusedError, StoreUnavailableError: do not acknowledge, so that the event comes again.
   * @throws TerminalError, ConfigError when the message cannot be sent as it is: nothing was accepted.
   */
  thenEnqueue(
    key: string,
    payload: unknown,
    to: EnqueueOptions,
  ): Promise<'queued' | 'queued again' | 'duplicate'>
}

/** A lock that is acquired once for any key, and never released: its item has no `ttl`. */
export function onceForever(store: Store, options: OnceForeverOptions = {}): OnceForever {
  const { scope = 'default', logger = jsonLogger(), clock = systemClock } = options
  checkScope('onceForever', scope)
  const messenger = awsMessenger({ sqs: options.sqs })

  return {
    async acquire(key, attributes = {}) {
      checkAttributes(attributes)
      const taken = await take(store, keyOf(scope, key), attributes, clock.now())
      return taken === 'mine'
    },
    async thenEnqueue(key, payload, to) {
      const at = keyOf(scope, key)
      const now = clock.now()
      const id = stableId('once', scope, key)
      const own = letterFor(id, payload, to, now)
      const taken = await take(store, at, acceptedAttributes(at.pk, own, now), now)
      const letter = taken === 'mine' ? own : letterOf(taken)
      if (letter === undefined) return 'duplicate'
      await sendLetter({ ...letter, queueUrl: to.queueUrl }, messenger)
      const [marked] = await store.update([queued(at, clock.now())])
      if (marked?.kind !== 'applied' && marked?.kind !== 'refused') {
        logger.warn('queued, but not marked as queued: it may be queued again, under the same id', {
          scope,
          key,
          error: marked?.error.message,
        })
      }
      return taken === 'mine' ? 'queued' : 'queued again'
    },
  }
}

/** @returns what stands there when somebody else was first. */
async function take(store: Store, at: Key, attributes: Item, now: number): Promise<'mine' | Item> {
  const acquiredBy = sortableId(now)
  const created = isoTime(now)
  const [outcome] = await store.create([{ ...attributes, ...at, created, acquiredBy }])
  if (outcome === undefined || outcome.kind === 'failed') {
    throw outcome?.error ?? new StoreUnavailableError('the store gave no outcome')
  }
  // The answer to my own write may have been lost, and its repetition refused by it.
  const mine = outcome.kind === 'applied' || outcome.item?.['acquiredBy'] === acquiredBy
  return mine ? 'mine' : (outcome.item ?? {})
}

function keyOf(scope: string, key: unknown): Key {
  const pk = typeof key === 'string' && key !== '' ? keyOfEvent(scope, key) : undefined
  if (pk !== undefined) return { pk, sk: 'once' }
  throw new RejectedError(
    `onceForever: expected key to be a text of at most 2,000 bytes, got ${describeKey(key)}; nothing was acquired`,
  )
}

const QUEUE_URL = /^https?:\/\/.+\/[^/]+$/

function letterFor(id: string, payload: unknown, to: EnqueueOptions, now: number): Letter {
  const { queueUrl, attributes = {}, groupId } = to
  if (!QUEUE_URL.test(queueUrl)) {
    throw new ConfigError(
      `thenEnqueue: queueUrl: expected the URL of a queue, got ${JSON.stringify(queueUrl)}. Is the environment variable set?`,
    )
  }
  const body: string | undefined = typeof payload === 'string' ? payload : JSON.stringify(payload)
  if (body === undefined) {
    throw new ConfigError(`thenEnqueue: expected payload to be a JSON value, got ${typeof payload}`)
  }
  const message = buildMessage(body, attributes, {
    uniqueRequestId: id,
    retry: 0,
    hops: 1,
    sentAt: now,
  })
  if (!isFifo(queueUrl)) return { queueUrl, message }
  if (groupId === undefined) {
    throw new ConfigError(`thenEnqueue: groupId: the FIFO queue ${queueUrl} needs one; got nothing`)
  }
  return { queueUrl, message: { ...message, groupId, deduplicationId: id } }
}

const OWN = ['pk', 'sk', 'created', 'acquiredBy', 'status', 'statusShard', 'dueAt', 'letter', 'ttl']

function checkAttributes(attributes: Readonly<Record<string, Comparable>>): void {
  const own = Object.keys(attributes).find((name) => OWN.includes(name))
  if (own === undefined) return
  throw new ConfigError(
    `acquire: attributes: ${own} is an attribute of the lock itself; take another name`,
  )
}
