import type { Clock, Message, Settlement } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import type { SqsHandler } from '../../../src/consumer/recordHandler.ts'
import { deadLetterQueueName, memoryQueueArn } from '../../../src/testing/queues/description.ts'
import {
  type SimulatedMessage,
  put,
  receive,
  remove,
  visibleBatches,
  nextVisibleAt,
} from '../../../src/testing/queues/simulatedQueue.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { moveBySqs, openOperatedQueues } from './operatedQueues.ts'

/** What is deployed at one time, by queue. */
export interface Code {
  readonly handlers: Readonly<Record<string, SqsHandler>>
  /** Time of an invocation, milliseconds: the lease outlives it. */
  readonly left?: number
}

/** More deliveries than a scenario can need: it loops. */
const MOST = 150
const BATCH = 10
const MAX_RECEIVES = 30
const POLICY: ReadonlySet<string> = new Set(['stale', 'superseded', 'dropped', 'coalesced'])

/** Queues, a table, a ledger and a simulated clock. */
export function openRig() {
  const time = fakeClock()
  const clock: Clock = { now: time.now, sleep: async () => {} }
  const queues = openOperatedQueues(time.now)
  const store = memoryStore({ clock })
  const logger = quietLogger()
  const trace: string[] = []
  const charges = new Map<string, Set<string>>()
  let drops = 0
  let kill: (() => void) | undefined
  const onSettled = (settlement: Settlement, message: Message<unknown> | undefined): void => {
    const why = 'reason' in settlement ? settlement.reason : ''
    if (POLICY.has(settlement.kind)) drops += 1
    trace.push(`  ${message?.uniqueRequestId ?? '?'}: ${settlement.kind} ${why}`)
  }

  /** One batch of the queue. */
  async function deliver(
    name: string,
    messages: readonly SimulatedMessage[],
    { handlers, left = 30_000 }: Code,
  ) {
    const queue = queues.queue(name)
    const handler = handlers[name]
    if (handler === undefined) throw new Error(`nothing consumes ${name}`)
    const Records = messages.map((queued) =>
      receive(queue, queued, time.now(), memoryQueueArn(name)),
    )
    const killed = new Promise<undefined>((resolve) => (kill = () => resolve(undefined)))
    const answer = await Promise.race([handler({ Records }, lambdaContext(left)), killed])
    if (answer === undefined) return void trace.push('  killed')
    const kept = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { id } of messages) if (!kept.has(id)) remove(queue, id)
    for (const queued of messages) {
      if (kept.has(queued.id) && queued.receives >= MAX_RECEIVES) {
        moveBySqs({ queueDouble: queues, moved: queues.moved }, name, queued)
        trace.push(`  ${queued.id}: moved by SQS`)
      }
    }
  }

  /** Delivers all messages to these versions in turn, and lets time pass. @returns false when it does not end */
  async function drain(codes: readonly Code[], most = MOST): Promise<boolean> {
    for (let nth = 0; nth < most; nth++) {
      const code = codes[nth % codes.length]
      const next = soonest(codes)
      if (next === undefined || code === undefined) return true
      if (next.at > time.now()) time.set(next.at)
      const [messages = []] = visibleBatches(queues.queue(next.name), time.now(), BATCH)
      trace.push(
        `${next.name} (code ${nth % codes.length}): ${messages.map(({ id }) => id).join(' ')}`,
      )
      await deliver(next.name, messages, code)
    }
    return most < MOST
  }

  function soonest(codes: readonly Code[]): { name: string; at: number } | undefined {
    const consumed = queues
      .all()
      .filter(([name]) => codes.every(({ handlers }) => name in handlers))
    const waiting = consumed.map(([name, queue]) => ({ name, at: nextVisibleAt(queue) }))
    return waiting
      .filter(({ at }) => at !== Infinity)
      .toSorted((one, other) => one.at - other.at)
      .at(0)
  }

  return {
    clock,
    advance: time.advance,
    store,
    queues,
    logger,
    trace,
    born: time.now(),
    charges,
    drain,
    /** How often a message was dropped by a policy of its flow, with a line in the log. */
    dropped: () => drops,
    dead: () =>
      queues
        .all()
        .flatMap(([name, { messages }]) => (name === deadLetterQueueName(name) ? messages : [])),
    options: { clock, store, logger, sqs: queues.sqs, onSettled },
    die: () => new Promise<never>(() => kill?.()),
    send: (name: string, message: SimulatedMessage['message']) =>
      put(queues.queue(name), message, time.now()),
    charge(request: string, key: string): void {
      charges.set(request, (charges.get(request) ?? new Set()).add(key))
    },
  }
}

export type Rig = ReturnType<typeof openRig>
