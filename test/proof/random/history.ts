import type { Context } from 'aws-lambda'
import { buildMessage } from '../../../src/record/envelope/buildMessage.ts'
import { nameIn, queueArnOf } from '../../../src/testing/queues/arns.ts'
import {
  attributeOf,
  type Letter,
  put,
  type Queue,
  receive,
  remove,
} from '../../../src/testing/queues/sqs.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/fakeClock.ts'
import { type Crash, mortalClient, mortalStore, openLife } from './mortal.ts'
import { openOutside, type Outside } from './outside.ts'
import { openPost, type Post } from './post.ts'
import { functionOf, type Policy, type Supplies, sweeper } from './shop.ts'
import type { Step } from './step.ts'
import type { Twins } from './twins.ts'

export interface History {
  readonly twins: Twins
  readonly userTable: string
  readonly policy: Policy
  readonly clock: FakeClock
  readonly post: Post
  readonly outside: Outside
  /** How deliveries ended. */
  readonly ends: Set<string>
}

export function openHistory(twins: Twins, userTable: string, policy: Policy): History {
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  const post = openPost(() => clock.now())
  return { twins, userTable, policy, clock, post, outside: openOutside(), ends: new Set() }
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
      await sweeper(suppliesOf(history, undefined).supplies)()
  }
}

/** More than any history leaves to do. */
const PATIENCE = 300

/** Lets everything come to its end, without crashes. False: it never does. */
export async function rest(history: History): Promise<boolean> {
  const { clock, post } = history
  for (let tries = 0; tries < PATIENCE; tries++) {
    const soonest = Math.min(...waiting(history).map(({ letter }) => letter.visibleAt))
    if (soonest <= clock.now()) await deliver(history, { nth: 0, twice: false })
    else if (soonest < Infinity) clock.set(soonest)
    else if (post.queue(DEAD).letters.length > 0) sendBack(history)
    else return true
  }
  return false
}

type Sending = Extract<Step, { do: 'send' }>

function send({ clock, post, outside }: History, { to, id, copies, fails }: Sending): void {
  const request = `${to}-${id}`
  const sentAt = outside.expect(to, request, fails, clock.now())
  const stamp = { uniqueRequestId: request, retry: 0, hops: 0, sentAt }
  const message = buildMessage(JSON.stringify({ id: request }), {}, stamp)
  for (let copy = 0; copy < copies; copy++) put(post.queue(to), message, clock.now())
  // No two requests are of one millisecond.
  clock.advance(1)
}

type Delivering = Omit<Extract<Step, { do: 'deliver' }>, 'do'>

async function deliver(history: History, { nth, twice, crash }: Delivering): Promise<void> {
  const now = history.clock.now()
  const ready = waiting(history).filter(({ letter }) => letter.visibleAt <= now)
  const found = ready[nth % Math.max(ready.length, 1)]
  if (found === undefined) return
  const others = twice ? [invoke(history, found, undefined)] : []
  await Promise.all([invoke(history, found, crash), ...others])
}

interface Place {
  readonly name: string
  readonly queue: Queue
  readonly letter: Letter
}

function waiting({ post }: History): Place[] {
  return SOURCES.flatMap((name) => {
    const queue = post.queue(name)
    return queue.letters.map((letter) => ({ name, queue, letter }))
  })
}

async function invoke(history: History, place: Place, crash: Crash | undefined): Promise<void> {
  const { name, queue, letter } = place
  const { supplies, died } = suppliesOf(history, crash)
  const record = receive(queue, letter, history.clock.now(), queueArnOf(name))
  const end = await Promise.race([died, functionOf(name, supplies)({ Records: [record] }, CONTEXT)])
  if (end !== 'died' && end.batchItemFailures.length === 0) remove(queue, letter.id)
}

const CONTEXT = { functionName: 'shop', getRemainingTimeInMillis: () => 20_000 } as Context

function suppliesOf(
  { twins, post, clock, userTable, policy, outside, ends }: History,
  crash: Crash | undefined,
): { readonly supplies: Supplies; readonly died: Promise<'died'> } {
  const life = openLife(crash)
  const store = mortalStore(life, twins.store)
  const sqs = mortalClient(life, post.client)
  const onSettled: Supplies['onSettled'] = ({ kind }) => ends.add(kind)
  const supplies = { store, sqs, clock, userTable, policy, outside, onSettled }
  return { supplies, died: life.died }
}

/** Each letter to the queue that it names. */
function sendBack({ post, clock }: History): void {
  for (const { message } of post.queue(DEAD).letters.splice(0)) {
    const { source }: { source: string } = JSON.parse(attributeOf(message, 'lineclear') ?? '{}')
    put(post.queue(nameIn(source)), message, clock.now())
  }
}
