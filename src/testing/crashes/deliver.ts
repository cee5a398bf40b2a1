import type { Context, SQSEvent } from 'aws-lambda'
import { hasCode, messageOf } from '../../errors.ts'
import { failedMessages } from '../queues/failedMessages.ts'
import { call } from './call.ts'
import { cloudOf, type CrashCloud } from './cloud.ts'
import { type ScheduleContext, queueOf } from './scheduleContext.ts'
import { memoryQueueArn } from '../queues/arns.ts'
import { type SimulatedMessage, receive, remove } from '../queues/simulatedQueue.ts'
import { type Actor, startInvocation, LONGEST_INVOCATION_MS } from './simulation.ts'

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<unknown>
/** What is explored, made anew for each invocation: handlers by the name of their queue. */
export type Build = (cloud: CrashCloud) => ReadonlyMap<string, QueueHandler>

/** What one invocation has received. */
interface Delivery {
  readonly context: ScheduleContext
  readonly actor: Actor
  readonly queue: string
  readonly messages: readonly SimulatedMessage[]
}

/** The clock of the machine that an invocation runs on. */
export interface MachineClock {
  /** Milliseconds ahead. */
  readonly ahead: number
  readonly words: string
}

const RIGHT: MachineClock = { ahead: 0, words: '' }

/** Lambda hands messages to an invocation of their own. */
export function deliver(
  context: ScheduleContext,
  build: Build,
  queue: string,
  messages: readonly SimulatedMessage[],
  clock: MachineClock = RIGHT,
): void {
  const { simulation } = context
  const from = queueOf(context, queue)
  const Records = messages.map((queued) =>
    receive(from, queued, simulation.now, memoryQueueArn(queue)),
  )
  const actor = startInvocation(simulation, clock.ahead)
  const again = messages.some(({ receives }) => receives > 1) ? ', again' : ''
  simulation.log.push(
    `${actor.name} receives ${namesOf(messages)} of ${queue}${again}${clock.words}`,
  )
  simulation.current = actor
  const handler = build(cloudOf(context, actor, { queue, messages })).get(queue)
  if (handler === undefined) throw new Error(`nothing listens to ${queue}`)
  const answered = new Promise((resolve) =>
    resolve(handler({ Records }, lambdaContextOf(actor, context))),
  )
  const delivery = { context, actor, queue, messages }
  answered.then(
    (response) => answer(delivery, response),
    (error: unknown) => fail(delivery, error),
  )
}

function answer(delivery: Delivery, response: unknown): void {
  const { context, actor, messages } = delivery
  if (actor.state === 'killed') return
  actor.state = 'answered'
  const staying = failedMessages(response, messages)
  const done = messages.filter((queued) => !staying.includes(queued))
  context.simulation.log.push(`${actor.name} ends: ${becomingOf(messages, staying, done)}`)
  if (done.length > 0) acknowledge(delivery, done)
}

function becomingOf(
  messages: readonly SimulatedMessage[],
  staying: readonly SimulatedMessage[],
  done: readonly SimulatedMessage[],
): string {
  if (messages.length === 1)
    return `the message ${staying.length > 0 ? 'stays' : 'is acknowledged'}`
  return [
    ...(staying.length > 0 ? [`${namesOf(staying)} to stay`] : []),
    ...(done.length > 0 ? [`${namesOf(done)} acknowledged`] : []),
  ].join(', ')
}

function namesOf(messages: readonly SimulatedMessage[]): string {
  return messages.map(({ id }) => id).join(' and ')
}

/** These end a call for its caller: what stands behind them is for a person, and calling again changes nothing. */
const TELLING = ['TERMINAL', 'UNKNOWN_OUTCOME', 'REJECTED'] as const

function fail({ context, actor, queue, messages }: Delivery, error: unknown): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  context.simulation.log.push(`${actor.name} throws: ${messageOf(error)}`)
  if (!TELLING.some((code) => hasCode(error, code))) return
  context.told += 1
  for (const { id } of messages) remove(queueOf(context, queue), id)
}

function acknowledge(
  { context, actor, queue }: Delivery,
  messages: readonly SimulatedMessage[],
): void {
  const lambda: Actor = { ...actor, name: `Lambda, for ${actor.name},`, role: 'lambda' }
  void call(
    context.simulation,
    { ...lambda, state: 'running' },
    {
      what: `deletes ${namesOf(messages)}`,
      apply: async () => {
        for (const { id } of messages) remove(queueOf(context, queue), id)
      },
      unanswered: () => {},
      told: () => '',
      faults: ['request lost'],
    },
  )
}

function lambdaContextOf({ name, startedAt }: Actor, { simulation }: ScheduleContext): Context {
  const context: Partial<Context> = {
    functionName: 'explored',
    awsRequestId: name,
    getRemainingTimeInMillis: () => LONGEST_INVOCATION_MS - (simulation.now - startedAt),
  }
  return context as Context
}
