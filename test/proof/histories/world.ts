import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import type { FakeClock } from '../../../src/testing/fakeClock.ts'
import { memoryCloud, type MemoryCloud } from '../../../src/testing/memoryCloud.ts'
import type { MemoryHandler } from '../../../src/testing/queues/deliverNext.ts'
import type { Answer, Book } from './book.ts'
import type { Chance } from './chance.ts'
import { clientOf, type Life, type Lives, openLives, storeOf } from './lives.ts'

/** All that a part of a run acts on. */
export interface World {
  readonly cloud: MemoryCloud
  readonly lives: Lives
  readonly chance: Chance
  readonly book: Book
}

/** One kind of work, which writes the operations of its model. */
export interface Part {
  readonly queues: readonly string[]
  /** A client asks for something. */
  send(world: World): void
  /** Invokes the function of a queue, if it has a message. */
  deliver(world: World, queue: string): void
  /** Reads what the model can tell. */
  read(world: World): void
}

export const REMAINING_MS = 20_000

interface Opening extends Pick<World, 'book' | 'chance'> {
  readonly parts: readonly Part[]
  readonly clock: FakeClock
}

export function openWorld({ parts, book, chance, clock }: Opening): World {
  const names = parts.flatMap(({ queues }) => queues)
  const queues = Object.fromEntries(names.map((name) => [name, {}]))
  return { cloud: memoryCloud({ queues, clock }), lives: openLives(chance, clock), chance, book }
}

export const silent = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} }

/** The options that every consumer of a life has. */
export function commonOf({ cloud }: World, life: Life, onSettled: (end: Settlement) => void) {
  return {
    store: storeOf(life, cloud.store),
    clients: { sqs: clientOf(life, cloud.clients.sqs) },
    clock: life.clock,
    logger: silent,
    onSettled,
    // A message that fails stays: whatever is acknowledged has ended.
    retry: { maxAttempts: 1_000, delay: () => 1_000, transport: 'visibility' as const },
  }
}

/** What a delivery tells of its one message. */
export interface Watch<Payload> {
  readonly received: (payload: Payload) => void
  /** The function has returned. @returns what begins when the message is being acknowledged, and ends when it is gone */
  readonly answered: (payload: Payload, settled: Settlement | undefined) => () => Answer
}

/** One invocation with one message, which may die. */
export function invoke<Payload>(
  { cloud }: World,
  queue: string,
  build: (onSettled: (end: Settlement) => void) => MemoryHandler,
  { received, answered }: Watch<Payload>,
): void {
  let settled: Settlement | undefined
  let gone: Answer | undefined
  const handler = build((end) => (settled = end))
  const watched: MemoryHandler = async (event: SQSEvent) => {
    const body = event.Records[0]?.body ?? ''
    const payload = JSON.parse(body) as Payload
    received(payload)
    const context = { functionName: queue, getRemainingTimeInMillis: () => REMAINING_MS }
    const response = (await handler(event, context as Context)) as SQSBatchResponse
    if (settled?.kind === 'deadLettered') throw new Error(`${body}: ${settled.reason}`)
    const acknowledge = answered(payload, settled)
    if (response.batchItemFailures.length === 0) gone = acknowledge()
    return response
  }
  cloud.deliver(queue, watched, { batchSize: 1 }).then(
    () => gone?.({}),
    () => {
      // The function has failed: the message stays in flight.
    },
  )
}
