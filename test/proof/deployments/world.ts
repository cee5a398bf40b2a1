import type { Clock, Message, Settlement } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import type { SqsHandler } from '../../../src/batch/recordHandler.ts'
import { deadLettersOf, queueArnOf } from '../../../src/testing/queues/arns.ts'
import { type Letter, put, receive, remove } from '../../../src/testing/queues/sqs.ts'
import { lambdaContext } from '../../batch/lambdaContext.ts'
import { quietLogger } from '../../batch/quietLogger.ts'
import { receivable, soonestIn } from '../../../src/testing/queues/visibleMessages.ts'
import { moveBySqs, openOffice } from './post.ts'

/** What is deployed at one time, by queue. */
export interface Code {
  readonly handlers: Readonly<Record<string, SqsHandler>>
  /** Time of an invocation, milliseconds: the lease outlives it. */
  readonly left?: number
}

/** More deliveries than a scenario can need: it goes round in a circle. */
const MOST = 150
const BATCH = 10
const MAX_RECEIVES = 30
const POLICY: ReadonlySet<string> = new Set(['stale', 'superseded', 'dropped', 'coalesced'])

/** Queues, a table, a ledger and a clock: nothing of it takes time. */
export function openWorld() {
  const time = fakeClock()
  const clock: Clock = { now: time.now, sleep: async () => {} }
  const office = openOffice(time.now)
  const store = memoryStore({ clock })
  const logger = quietLogger()
  const trace: string[] = []
  const charges = new Map<string, Set<string>>()
  let drops = 0
  let kill: (() => void) | undefined
  const onSettled = (settlement: Settlement, message: Message<unknown> | undefined): void => {
    const why =
      'reason' in settlement ? settlement.reason : 'because' in settlement ? settlement.because : ''
    if (settlement.kind === 'dropped' && POLICY.has(settlement.because)) drops += 1
    trace.push(`  ${message?.uniqueRequestId ?? '?'}: ${settlement.kind} ${why}`)
  }

  /** One batch of the queue. */
  async function deliver(
    name: string,
    letters: readonly Letter[],
    { handlers, left = 30_000 }: Code,
  ) {
    const queue = office.queue(name)
    const handler = handlers[name]
    if (handler === undefined) throw new Error(`nothing consumes ${name}`)
    const Records = letters.map((letter) => receive(queue, letter, time.now(), queueArnOf(name)))
    const killed = new Promise<undefined>((resolve) => (kill = () => resolve(undefined)))
    const answer = await Promise.race([handler({ Records }, lambdaContext(left)), killed])
    if (answer === undefined) return void trace.push('  killed')
    const kept = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { id } of letters) if (!kept.has(id)) remove(queue, id)
    for (const letter of letters) {
      if (kept.has(letter.id) && letter.receives >= MAX_RECEIVES) {
        moveBySqs({ post: office, moved: office.moved }, name, letter)
        trace.push(`  ${letter.id}: moved by SQS`)
      }
    }
  }

  /** All that comes, by these codes in turn; time passes as it must. @returns false when it does not end */
  async function drain(codes: readonly Code[], most = MOST): Promise<boolean> {
    for (let nth = 0; nth < most; nth++) {
      const code = codes[nth % codes.length]
      const next = soonest(codes)
      if (next === undefined || code === undefined) return true
      if (next.at > time.now()) time.set(next.at)
      const [letters = []] = receivable(office.queue(next.name), time.now(), BATCH)
      trace.push(
        `${next.name} (code ${nth % codes.length}): ${letters.map(({ id }) => id).join(' ')}`,
      )
      await deliver(next.name, letters, code)
    }
    return most < MOST
  }

  function soonest(codes: readonly Code[]): { name: string; at: number } | undefined {
    const consumed = office
      .all()
      .filter(([name]) => codes.every(({ handlers }) => name in handlers))
    const waiting = consumed.map(([name, queue]) => ({ name, at: soonestIn(queue) }))
    return waiting
      .filter(({ at }) => at !== Infinity)
      .toSorted((one, other) => one.at - other.at)
      .at(0)
  }

  return {
    clock,
    advance: time.advance,
    store,
    office,
    logger,
    trace,
    born: time.now(),
    charges,
    drain,
    /** How often a message was dropped by a policy of its flow, with a line in the log. */
    dropped: () => drops,
    dead: () =>
      office.all().flatMap(([name, { letters }]) => (name === deadLettersOf(name) ? letters : [])),
    options: { clock, store, logger, sqs: office.sqs, onSettled },
    die: () => new Promise<never>(() => kill?.()),
    send: (name: string, message: Letter['message']) =>
      put(office.queue(name), message, time.now()),
    charge(request: string, key: string): void {
      charges.set(request, (charges.get(request) ?? new Set()).add(key))
    },
  }
}

export type World = ReturnType<typeof openWorld>
