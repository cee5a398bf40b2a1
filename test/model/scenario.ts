import type { Handle } from '../../src/batch/attempt.ts'
import { type Consumer, readOptions } from '../../src/batch/consumer.ts'
import type { RetryOptions } from '../../src/batch/options.ts'
import { buildMessage } from '../../src/envelope/outgoing.ts'
import { memoryStore } from '../../src/store/memory/memoryStore.ts'
import { call } from './call.ts'
import { deliver } from './deliver.ts'
import type { Lab } from './lab.ts'
import { DEAD_LETTER_URL, QUEUE_URL } from './places.ts'
import { type Letter, put } from './sqs.ts'
import { isComplete } from './watch.ts'
import type { Actor, CallFault, Fault } from './world.ts'

export interface Scenario {
  readonly name: string
  readonly consumer: () => Consumer
  readonly handler: (lab: Lab, actor: Actor) => Handle
  /** Faults that are beyond what is promised of it. */
  readonly without?: readonly Fault[]
  /** Brings the lab to where exploring starts; `settle` lets all come to rest on the way. */
  readonly begin: (lab: Lab, settle: () => Promise<void>) => Promise<void>
  /** At rest: what is wrong, in words. */
  readonly judge: (lab: Lab) => string | undefined
}

const silent = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} }

export function consumerWith(retry: RetryOptions): () => Consumer {
  const options = {
    name: 'orders',
    store: memoryStore(),
    queueUrl: QUEUE_URL,
    deadLetterQueueUrl: DEAD_LETTER_URL,
    logger: silent,
    retry: { delay: (nth: number) => nth * 2_000, ...retry },
  }
  return () => readOptions(options, () => {})
}

export const ID = 'order-1'

export function order(lab: Lab, id: string = ID, sentAt: number = lab.world.now): Letter {
  const stamp = { uniqueRequestId: id, retry: 0, hops: 0, sentAt }
  return put(lab.queue, buildMessage(JSON.stringify({ id }), {}, stamp), lab.world.now)
}

/** SQS hands one message out twice: the second time at any moment. */
export async function receivedTwice(lab: Lab): Promise<void> {
  const letter = order(lab)
  deliver(lab, [letter])
  letter.visibleAt = lab.world.now
}

/** The producer sent one request twice. */
export async function sentTwice(lab: Lab): Promise<void> {
  order(lab)
  order(lab)
}

/** As `sentTwice`, but one invocation gets both; and SQS hands one of them out a second time. */
export async function sentTwiceInOneBatch(lab: Lab): Promise<void> {
  const [first, second] = [order(lab), order(lab)]
  deliver(lab, [first, second])
  second.visibleAt = lab.world.now
}

/** An operator sends the dead letter back, and SQS hands it out twice. */
export async function sentBack(lab: Lab, settle: () => Promise<void>): Promise<void> {
  order(lab)
  await settle()
  const [dead] = lab.deadLetters.letters
  if (dead === undefined) throw new Error('nothing was dead-lettered')
  lab.deadLetters.letters = []
  const back = put(lab.queue, dead.message, lab.world.now)
  deliver(lab, [back])
  back.visibleAt = lab.world.now
}

export const reserve = { TableName: 'stock', Key: { sku: 's' }, add: { reserved: 1 } } as const

const CALL: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'killed before',
  'killed on the wire',
]

/** The outside system: counts what reaches it, and gives one key one answer. */
export async function charge(
  lab: Lab,
  actor: Actor,
  key: string,
  faults: readonly CallFault[] = CALL,
): Promise<string> {
  lab.watch.called('charge', key)
  const answer = await call<string | Error>(lab.world, actor, {
    what: 'calls the service',
    apply: async () => {
      lab.calls.push(key)
      return `receipt of ${key.slice(0, 4)}`
    },
    unanswered: () => new Error('timeout'),
    told: String,
    faults,
  })
  if (answer instanceof Error) throw answer
  return answer
}

export type End = 'completed' | 'dead-lettered' | 'completed and dead-lettered' | 'lost'

export function endOf({ table, deadLetters }: Lab): End {
  const isDead = deadLetters.letters.some(({ uniqueRequestId }) => uniqueRequestId === ID)
  if (isComplete(table.tokens.get(`lock#orders/${ID}`))) {
    return isDead ? 'completed and dead-lettered' : 'completed'
  }
  return isDead ? 'dead-lettered' : 'lost'
}

export function ends(lab: Lab, ...allowed: readonly End[]): string | undefined {
  const end = endOf(lab)
  return allowed.includes(end) ? undefined : `at rest, the request is ${end}`
}

/** Exactly once when completed, at most once in any case. */
export function reservedOnce(lab: Lab): string | undefined {
  const times = Number(lab.table.base.userItems('stock')[0]?.['reserved'] ?? 0)
  if (times > 1) return `the effect happened ${times} times`
  return times === 0 && endOf(lab) === 'completed' ? 'completed without its effect' : undefined
}
