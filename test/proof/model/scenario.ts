import type { ClaimStrategy } from '../../../src/library/run/deliver/claimStrategy.ts'
import type { Handle } from '../../../src/library/run/deliver/tokenStrategy.ts'
import type { OnFailure } from '../../../src/library/run/context/failureEnd.ts'
import type { Consumer } from '../../../src/library/run/deliver/consumer.ts'
import { readOptions } from '../../../src/library/entries/consumer/readOptions.ts'
import type {
  RecordHandlerOptions,
  RetryOptions,
} from '../../../src/library/entries/consumer/options.ts'
import { buildMessage } from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { call } from '../../../src/testing/crashes/simulation/call.ts'
import type { Model } from './model.ts'
import { DEAD_LETTER_URL, QUEUE_URL } from './places.ts'
import { type SimulatedMessage, put } from '../../../src/testing/queues/simulatedQueue.ts'
import type { Actor, NextEvent } from '../../../src/testing/crashes/simulation/simulation.ts'
import type {
  CrashCallFault,
  CrashFault,
} from '../../../src/testing/crashes/simulation/crashFaults.ts'

/** The way to the start of the exploration is fixed. */
export interface Go {
  /** Runs until all is at rest. */
  settle(): Promise<void>
  /** Runs until this can happen. */
  until(words: string): Promise<NextEvent>
}

export interface Scenario {
  readonly name: string
  readonly consumer: () => Consumer
  readonly handler: (model: Model, actor: Actor) => Handle
  /** What runs after a death. Default: nothing. */
  readonly onFailure?: (model: Model, actor: Actor) => OnFailure
  /** How its records are claimed. Default: by their tokens alone. */
  readonly strategy?: ((handle: Handle, model: Model, actor: Actor) => ClaimStrategy) | undefined
  /** Executions of a request that no claim counts: one for each first delivery. Default: none. */
  readonly unclaimed?: number
  /** What the sweeper does once nothing else is left to do. @returns false: nothing. Default: nothing */
  readonly sweep?: ((model: Model) => boolean) | undefined
  /** What every test run explores; a deep one explores all faults. Default: all. */
  readonly light?: readonly CrashFault[]
  /** Faults that its promises do not cover. */
  readonly without?: readonly CrashFault[]
  /** Brings the model to where exploring starts. */
  readonly begin: (model: Model, go: Go) => Promise<void>
  /** At rest: the broken promise, in words. */
  readonly judge: (model: Model) => string | undefined
}

const silent = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} }

export function consumerWith(
  retry: RetryOptions,
  more: Pick<RecordHandlerOptions, 'onFailure' | 'dead'> = {},
): () => Consumer {
  const options = {
    name: 'orders',
    store: memoryStore(),
    queueUrl: QUEUE_URL,
    deadLetterQueueUrl: DEAD_LETTER_URL,
    logger: silent,
    // What it finds out about its mapping would be kept from one schedule to the next.
    reportBatchItemFailures: true,
    retry: { delay: (nth: number) => nth * 2_000, ...retry },
    ...more,
  }
  return () => readOptions(options, () => {})
}

export const ID = 'order-1'

export function order(
  model: Model,
  id: string = ID,
  sentAt: number = model.simulation.now,
): SimulatedMessage {
  const stamp = { uniqueRequestId: id, resendNumber: 0, hops: 0, sentAt }
  return put(model.queue, buildMessage(JSON.stringify({ id }), {}, stamp), model.simulation.now)
}

export const reserve = { TableName: 'stock', Key: { sku: 's' }, add: { reserved: 1 } } as const

const CALL: readonly CrashCallFault[] = [
  'request lost',
  'answer lost',
  'killed before',
  'killed on the wire',
]

/** The outside system: counts what reaches it, and gives one key one answer. */
export async function charge(
  model: Model,
  actor: Actor,
  key: string,
  faults: readonly CrashCallFault[] = CALL,
  name: string = 'charge',
): Promise<string> {
  model.watch.called(name, key)
  const answer = await call<string | Error>(model.simulation, actor, {
    what: 'calls the service',
    apply: async () => {
      model.calls.push(key)
      return `receipt of ${key.slice(0, 4)}`
    },
    unanswered: () => new Error('timeout'),
    seen: String,
    faults,
  })
  if (answer instanceof Error) throw answer
  return answer
}
