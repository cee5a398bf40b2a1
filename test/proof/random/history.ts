import type { Context } from 'aws-lambda'
import { buildMessage } from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import { lastSegment, memoryQueueArn } from '../../../src/testing/queues/description.ts'
import {
  attributeOf,
  type SimulatedMessage,
  put,
  type SimulatedQueue,
  receive,
  remove,
} from '../../../src/testing/queues/simulatedQueue.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/fakeClock.ts'
import { type Crash, mortalClient, mortalStore, openLife } from './mortal.ts'
import { openOutside, type Outside } from './outside.ts'
import { openQueueDouble, type QueueDouble } from './queueDouble.ts'
import { functionOf, type Policy, type Dependencies, sweeper } from './fixtures.ts'
import type { Step } from './step.ts'
import type { StorePair } from './storePair.ts'

export interface History {
  readonly stores: StorePair
  readonly userTable: string
  readonly policy: Policy
  readonly clock: FakeClock
  readonly queues: QueueDouble
  readonly outside: Outside
  /** How deliveries ended. */
  readonly ends: Set<string>
}

export function openHistory(stores: StorePair, userTable: string, policy: Policy): History {
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  const queues = openQueueDouble(() => clock.now())
  return { stores, userTable, policy, clock, queues, outside: openOutside(), ends: new Set() }
}

const DEAD = 'dead-letters'
const SOURCES: readonly string[] = ['orders', 'validate', 'charge']

export async function take(history: History, step: Step): Promise<void> {
  const { clock } = history
  switch (step.do) {
    case 'send':
      return send(history, step)
    case 'deliver':
      return deliver(history, step)
    case 'wait':
      return clock.advance(step.seconds * 1_000)
    case 'sendBack':
      return sendBack(history)
    case 'sweep':
      await sweeper(dependenciesOf(history, undefined).dependencies)()
  }
}

/** More deliveries than any history needs. */
const PATIENCE = 300

/** Runs everything to its end, without crashes. False: it does not end. */
export async function rest(history: History): Promise<boolean> {
  const { clock, queues } = history
  for (let tries = 0; tries < PATIENCE; tries++) {
    const soonest = Math.min(...waiting(history).map(({ queued }) => queued.visibleAt))
    if (soonest <= clock.now()) await deliver(history, { nth: 0, twice: false })
    else if (soonest < Infinity) clock.set(soonest)
    else if (queues.queue(DEAD).messages.length > 0) sendBack(history)
    else return true
  }
  return false
}

type Sending = Extract<Step, { do: 'send' }>

function send({ clock, queues, outside }: History, { to, id, copies, fails }: Sending): void {
  const request = `${to}-${id}`
  const sentAt = outside.expect(to, request, fails, clock.now())
  const stamp = { uniqueRequestId: request, resendNumber: 0, hops: 0, sentAt }
  const message = buildMessage(JSON.stringify({ id: request }), {}, stamp)
  for (let copy = 0; copy < copies; copy++) put(queues.queue(to), message, clock.now())
  // No two requests are of one millisecond.
  clock.advance(1)
}

type Delivering = Omit<Extract<Step, { do: 'deliver' }>, 'do'>

async function deliver(history: History, { nth, twice, crash }: Delivering): Promise<void> {
  const now = history.clock.now()
  const ready = waiting(history).filter(({ queued }) => queued.visibleAt <= now)
  const found = ready[nth % Math.max(ready.length, 1)]
  if (found === undefined) return
  const others = twice ? [invoke(history, found, undefined)] : []
  await Promise.all([invoke(history, found, crash), ...others])
}

interface Place {
  readonly name: string
  readonly queue: SimulatedQueue
  readonly queued: SimulatedMessage
}

function waiting({ queues }: History): Place[] {
  return SOURCES.flatMap((name) => {
    const queue = queues.queue(name)
    return queue.messages.map((queued) => ({ name, queue, queued }))
  })
}

async function invoke(history: History, place: Place, crash: Crash | undefined): Promise<void> {
  const { name, queue, queued } = place
  const { dependencies, died } = dependenciesOf(history, crash)
  const record = receive(queue, queued, history.clock.now(), memoryQueueArn(name))
  const end = await Promise.race([
    died,
    functionOf(name, dependencies)({ Records: [record] }, CONTEXT),
  ])
  if (end !== 'died' && end.batchItemFailures.length === 0) remove(queue, queued.id)
}

const CONTEXT = { functionName: 'shop', getRemainingTimeInMillis: () => 20_000 } as Context

function dependenciesOf(
  { stores, queues, clock, userTable, policy, outside, ends }: History,
  crash: Crash | undefined,
): { readonly dependencies: Dependencies; readonly died: Promise<'died'> } {
  const life = openLife(crash)
  const store = mortalStore(life, stores.store)
  const sqs = mortalClient(life, queues.client)
  const onSettled: Dependencies['onSettled'] = ({ kind }) => ends.add(kind)
  const dependencies: Dependencies = {
    store,
    sqs,
    // No step of a history advances the clock while an invocation runs: a real wait would last until the function's time is up.
    clock: { ...clock, sleep: async () => {} },
    userTable,
    policy,
    outside,
    onSettled,
  }
  return { dependencies, died: life.died }
}

/** Each dead letter to the queue that it names. */
function sendBack({ queues, clock }: History): void {
  for (const { message } of queues.queue(DEAD).messages.splice(0)) {
    const { source }: { source: string } = JSON.parse(attributeOf(message, 'lineclear') ?? '{}')
    put(queues.queue(lastSegment(source)), message, clock.now())
  }
}
