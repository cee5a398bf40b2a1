import { systemClock } from '../../../library/base/clock.ts'
import { toMilliseconds } from '../../../library/base/options.ts'
import type { Duration } from '../../../library/base/time.ts'
import { jsonLogger } from '../../../library/base/logger.ts'
import { startLocalCloud } from '../cloud/cloud.ts'
import type { LocalCloud } from '../cloud/openCloud.ts'
import { messagesIn } from '../engines/queueContents.ts'
import type { Faults, NextFault } from '../faults/faults.ts'
import type { LocalEvent } from '../observe/event.ts'
import { bookContext, readBooks, type BookSources } from './bookContext.ts'
import type { BookContext, Dev, SentRequest } from './definition.ts'
import { type MappedConsumer, mapConsumers } from './mapConsumers.ts'
import { type OutsideState, startOutsideSystems } from './outsideSystems.ts'
import { sendToCloud, type Sending, type SentDelivery } from './sendToCloud.ts'
import { writtenAgain, type WrittenAgain } from './writtenAgain.ts'

/** A run of `lineclear dev`: what was sent, and what happened to it. */
export interface RecordedRun {
  /** Seed of the faults that FILE describes by probabilities. */
  readonly seed?: number
  readonly send: readonly Sending[]
  /** Faults, each at the first call that fits. */
  readonly faults?: readonly RecordedFault[]
  /** Queues whose messages arrive out of order, drawn from the seed. */
  readonly shuffle?: readonly string[]
  /** As on Lambda Managed Instances: `mapQueue({ managed })`. Default false. */
  readonly managed?: boolean
  /** The state of outside systems during the whole run. Default `up`. */
  readonly outside?: Readonly<Record<string, OutsideState>>
}

/** A fault of a recorded run. */
export interface RecordedFault {
  /** The queue of the consumer. */
  readonly consumer: string
  /** Which message of `send`, from 1. Absent: any. */
  readonly message?: number
  readonly fault: NextFault
  /** @example 'UpdateItem' */
  readonly action?: string
  /** The name of an effect or an outside call. */
  readonly effect?: string
  /** Its id, where the handler reads it from the payload. */
  readonly request?: string
  /** Which of the calls of one invocation that fit, from 1. Default 1. */
  readonly nth?: number
}

/** What the books say at the end. */
export interface ReplayedRun {
  /** A line for each finding: empty when all books are green. @example ['charged once per order: order-3'] */
  readonly red: readonly string[]
}

/** How often the books are read. */
const LOOK_MS = 250

/**
 * Runs a recorded run again, on a local cloud of its own: sends its messages, injects its faults, and waits until nothing is on
 * its way, or a book is red. It loads the handlers into this process and sets its environment, so a process replays one run.
 * @throws Error when messages are still on their way after `timeout`, by default 2 minutes
 * @example
 * const send = [{ to: 'orders', payload: { orderId: 'order-1' }, copies: 2 }]
 * const { red } = await replayRun(dev, { send })
 * expect(red).toEqual([])
 */
export async function replayRun(
  dev: Dev,
  run: RecordedRun,
  options: { readonly timeout?: Duration } = {},
): Promise<ReplayedRun> {
  const until = Date.now() + toMilliseconds('replayRun.timeout', options.timeout ?? 120_000)
  // Not `await using`: in our tests Node 22 loads this file without a compiler, and does not know the syntax.
  const cloud = await startLocalCloud(dev.cloud, { logger: jsonLogger('ERROR') })
  try {
    return await replayIn(cloud, { dev, run, until })
  } finally {
    await cloud.stop()
  }
}

async function replayIn(
  cloud: LocalCloud,
  { dev, run, until }: { readonly dev: Dev; readonly run: RecordedRun; readonly until: number },
): Promise<ReplayedRun> {
  const outside = await startOutsideSystems(Object.keys(dev.outside ?? {}), async (name, request) =>
    (dev.outside?.[name]?.answer ?? (() => ({ id: `${name}-${request.number}` })))(request),
  )
  cloud.onStop(outside.stop)
  for (const [name, state] of Object.entries(run.outside ?? {})) outside.set(name, state)
  Object.assign(process.env, cloud.environment, dev.environment?.(cloud, outside.urls))
  await cloud.instrumentAll()
  const again = writtenAgain()
  const sent = await sendAll(dev, cloud, run.send)
  const running = new Set<string>()
  const observe = (event: LocalEvent): void => {
    again.observe(event)
    if (event.type === 'begun') running.add(event.awsRequestId)
    if (event.type === 'ended') running.delete(event.awsRequestId)
  }
  const faultsOf = (queue: string, ofFile: Faults): Faults => ({
    ...withoutChance(ofFile, run.seed),
    ...(run.shuffle?.includes(queue) === true && { shuffle: true }),
  })
  const mappings = await mapConsumers(dev, cloud, faultsOf, {
    observe,
    logger: jsonLogger('ERROR'),
    ...(run.managed !== undefined && { managed: run.managed }),
  })
  for (const fault of run.faults ?? []) inject(mappings, sent, fault)
  const calls: BookSources['calls'] = async (name) => outside.calls(name)
  const queues = Object.keys(dev.consumers)
  const isEmpty = (queue: string): boolean => messagesIn(cloud.inspectQueue(queue)).length === 0
  const isQuiet = (): boolean => running.size === 0 && queues.every(isEmpty)
  const books = { dev, context: bookContext(cloud, { sent, calls }), again }
  for (;;) {
    if (isQuiet()) await codeEnded(mappings, until)
    const isAtRest = isQuiet()
    const red = await redOf(books, isAtRest)
    if (red.length > 0 || isAtRest) return { red }
    if (Date.now() > until) throw new Error(`messages are still on their way after the time limit`)
    await systemClock.sleep(LOOK_MS)
  }
}

interface Sent extends SentRequest {
  readonly delivered: SentDelivery
}

/** Before anything is polled, so that the consumers find all messages in the order of the run. */
async function sendAll(
  dev: Dev,
  cloud: LocalCloud,
  send: readonly Sending[],
): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  for (const [at, sending] of send.entries()) {
    const delivered = await sendToCloud(cloud, dev.cloud, sending)
    const { request } = delivered
    sent.push({ number: at + 1, to: sending.to, payload: sending.payload, request, delivered })
  }
  return sent
}

function inject(
  mappings: ReadonlyMap<string, MappedConsumer>,
  sent: readonly Sent[],
  { consumer, message, fault, request: own, ...match }: RecordedFault,
): void {
  const mapping = mappings.get(consumer)?.mapping
  if (mapping === undefined) throw new Error(`there is no consumer of the queue ${consumer}`)
  const delivered = message === undefined ? undefined : sent[message - 1]?.delivered
  // A call may name its request, or only its invocation have the message.
  const ids = [
    ...(own === undefined ? [] : [own]),
    ...(delivered === undefined ? [] : [delivered.request]),
    ...(delivered?.deliveries ?? []).map(({ messageId }) => messageId),
  ]
  mapping.faultNextCall(fault, { ...match, ...(ids.length > 0 && { request: ids }) })
}

interface Books {
  readonly dev: Dev
  readonly context: BookContext
  readonly again: WrittenAgain
}

async function redOf(
  { dev, context, again }: Books,
  isAtRest: boolean,
): Promise<readonly string[]> {
  const own = await readBooks(dev.books ?? {}, context, isAtRest)
  return [
    ...own.flatMap(({ name, state, offending, note }) =>
      state === 'failed'
        ? [`${name}: it could not be read: ${note}`]
        : offending.map((each) => `${name}: ${each}`),
    ),
    ...again.read().map(({ request, text }) => `${again.name}: ${request} ${text}`),
  ]
}

/** An attempt that has timed out may still write, on Managed Instances. */
async function codeEnded(
  mappings: ReadonlyMap<string, MappedConsumer>,
  until: number,
): Promise<void> {
  const timeout = Math.max(until - Date.now(), 0)
  await Promise.all([...mappings.values()].map(({ mapping }) => mapping.drained({ timeout })))
}

/** Faults by probability are replayed as the points where they struck. */
function withoutChance({ transactionTime }: Faults, seed: number | undefined): Faults {
  return {
    ...(seed !== undefined && { seed }),
    ...(transactionTime !== undefined && { transactionTime }),
  }
}
