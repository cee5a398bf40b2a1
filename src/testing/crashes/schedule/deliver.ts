import type { Context } from 'aws-lambda'
import { isObject } from '../../../library/base/kindOf.ts'
import { hasCode, messageOf, RetryableError, TerminalError } from '../../../library/base/errors.ts'
import { lambdaContextOf, divided, type MemoryHandler } from '../../queues/deliverNext.ts'
import { call } from '../simulation/call.ts'
import { cloudOf, type CrashCloud } from '../cloud/cloud.ts'
import { type ScheduleContext, queueOf } from '../simulation/scheduleContext.ts'
import { memoryQueueArn } from '../../queues/description.ts'
import { type SimulatedMessage, receive, remove } from '../../queues/simulatedQueue.ts'
import { type Actor, startInvocation } from '../simulation/simulation.ts'

/** Makes the handlers, by the name of their queue. Called for each invocation, as a new sandbox would do. */
export type Build = (cloud: CrashCloud) => Pick<ReadonlyMap<string, MemoryHandler>, 'get'>

interface Batch {
  readonly context: ScheduleContext
  readonly actor: Actor
  readonly queue: string
  readonly messages: readonly SimulatedMessage[]
}

/** The clock of the machine that an invocation runs on. */
export interface MachineClock {
  /** Milliseconds by which it is fast. */
  readonly ahead: number
  readonly words: string
}

export function deliver(
  context: ScheduleContext,
  { build, isCut }: { readonly build: Build; readonly isCut?: boolean },
  queue: string,
  messages: readonly SimulatedMessage[],
  clock: MachineClock,
): void {
  const { simulation } = context
  const from = queueOf(context, queue)
  const Records = messages.map((queued) =>
    receive(from, queued, simulation.now, memoryQueueArn(queue)),
  )
  const actor = startInvocation(simulation, clock.ahead)
  const again = messages.some(({ receives }) => receives > 1) ? ' again' : ''
  simulation.log.push(
    `${actor.name} receives ${namesOf(messages)} from ${queue}${again}${clock.words}`,
  )
  if (isCut === true) actor.dies = () => messages.forEach(({ id }) => remove(from, id))
  simulation.current = actor
  const handler = build(cloudOf(context, actor, { queue, messages })).get(queue)
  if (handler === undefined) throw new Error(`no handler consumes ${queue}`)
  const answered = new Promise((resolve) =>
    resolve(
      handler(
        { Records },
        lambdaContextOf('explored', actor.name, () => simulation.now),
      ),
    ),
  )
  const delivered = { context, actor, queue, messages }
  answered.then(
    (response) => answer(delivered, response),
    (error: unknown) => fail(delivered, error),
  )
}

function answer(batch: Batch, response: unknown): void {
  const { context, actor, messages } = batch
  if (actor.state === 'killed') return
  actor.state = 'answered'
  const { staying, done } = divided(response, messages)
  context.simulation.log.push(`${actor.name} ends: ${becomingOf(messages, staying, done)}`)
  if (done.length > 0) acknowledge(batch, done)
}

function becomingOf(
  messages: readonly SimulatedMessage[],
  staying: readonly SimulatedMessage[],
  done: readonly SimulatedMessage[],
): string {
  if (messages.length === 1)
    return `the message ${staying.length > 0 ? 'stays on the queue' : 'is acknowledged'}`
  return [
    ...(staying.length > 0 ? [`${namesOf(staying)} to stay on the queue`] : []),
    ...(done.length > 0 ? [`${namesOf(done)} acknowledged`] : []),
  ].join(', ')
}

function namesOf(messages: readonly SimulatedMessage[]): string {
  return messages.map(({ id }) => id).join(' and ')
}

/** Lambda delivers the event no more. */
class GivenUp extends Error {}

/** Errors after which the caller of a function does not retry: an operator has to act, or the input is wrong. */
const FINAL_ERRORS = ['TERMINAL', 'UNKNOWN_OUTCOME', 'REJECTED'] as const

function fail({ context, actor, queue, messages }: Batch, error: unknown): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  context.simulation.log.push(`${actor.name} throws: ${messageOf(error)}`)
  const isGivenUp = error instanceof GivenUp
  if (!isGivenUp && !FINAL_ERRORS.some((code) => hasCode(error, code))) return
  if (isGivenUp) context.givenUp.push(error.message)
  else context.refusals.push(messageOf(error))
  for (const { id } of messages) remove(queueOf(context, queue), id)
}

function acknowledge(
  { context, actor, queue }: Batch,
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
      seen: () => '',
      faults: ['request lost'],
    },
  )
}

/** Calls a function with the body of a message. Its caller retries until it gets an answer; here, redelivery is that retry. */
export function queueHandlerOf(fn: (input: unknown, context: Context) => unknown): MemoryHandler {
  return async ({ Records: [record] }, context) => {
    const answer = await fn(JSON.parse(record?.body ?? 'null'), context)
    const status = isObject(answer) ? answer['statusCode'] : undefined
    // Clients of an API retry these: the request was not carried out.
    if (RETRIED.has(status)) throw new RetryableError(`it answers ${String(status)}`)
    if (status === 500) throw new TerminalError('it answers 500')
  }
}

/**
 * Lambda tries an asynchronous invocation three times, and may deliver an event twice. Two more, because three faults may end
 * three attempts.
 */
const MOST_DELIVERIES = 5

/**
 * Invokes a function with the event in the body of a message. Every delivery has the same request id. An event that Lambda gives
 * up is lost to the function: no fault of one invocation may lead to that.
 */
export function invocationOf(fn: (input: unknown, context: Context) => unknown): MemoryHandler {
  return async ({ Records: [record] }, context) => {
    if (Number(record?.attributes.ApproximateReceiveCount) > MOST_DELIVERIES)
      throw new GivenUp(`Lambda gives the event up after ${MOST_DELIVERIES} deliveries`)
    const awsRequestId = `request of ${record?.messageId}`
    await fn(JSON.parse(record?.body ?? 'null'), { ...context, awsRequestId })
  }
}

const RETRIED: ReadonlySet<unknown> = new Set([409, 425, 429, 502, 503, 504])
