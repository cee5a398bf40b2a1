import type { SQSBatchResponse } from 'aws-lambda'
import { type Handle, tokenStrategy } from '../../../src/library/run/deliver/tokenStrategy.ts'
import { handleBatch } from '../../../src/library/run/deliver/handleBatch.ts'
import type { OnFailure } from '../../../src/library/run/context/failureEnd.ts'
import type { Consumer } from '../../../src/library/run/deliver/consumer.ts'
import { isAcknowledged, type Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import { hasCode, messageOf } from '../../../src/library/base/errors.ts'
import { lambdaContextOf } from '../../../src/testing/queues/deliverNext.ts'
import { call } from '../../../src/testing/crashes/simulation/call.ts'
import type { Model } from './model.ts'
import { messengerOf } from './modelMessenger.ts'
import { storeOf } from './modelStore.ts'
import { QUEUE_ARN } from './places.ts'
import {
  type SimulatedMessage,
  receive,
  remove,
} from '../../../src/testing/queues/simulatedQueue.ts'
import { type Actor, startInvocation } from '../../../src/testing/crashes/simulation/simulation.ts'
import { violate } from './violation.ts'

/** Lambda hands the messages to an invocation of their own: the shipped code, on a modelled cloud. */
export function deliver(
  model: Model,
  messages: readonly SimulatedMessage[],
  skew: number = 0,
): void {
  const { simulation } = model
  const records = messages.map((message) => {
    const record = receive(model.queue, message, simulation.now, QUEUE_ARN)
    return model.removal.receive?.(record, model) ?? record
  })
  const actor = startInvocation(simulation, skew)
  const late = skew === 0 ? '' : `, its clock ${skew / 60_000} min ahead`
  simulation.log.push(`${actor.name} receives ${messages.map(inWords).join(' and ')}${late}`)
  simulation.current = actor
  const handle = handlerOf(model, actor)
  handleBatch(
    { Records: records },
    lambdaContextOf('orders', actor.name, () => simulation.now),
    consumerOf(model, actor, messages),
    model.strategy?.(handle, model, actor) ?? tokenStrategy(handle),
  ).then(
    (response) => answer(model, actor, messages, response),
    (error: unknown) => fail(model, actor, error),
  )
}

function inWords({ id, resendNumber, death }: SimulatedMessage): string {
  return `${id}${resendNumber > 0 ? ` (re-send ${resendNumber})` : ''}${death > 0 ? ` (dead letter ${death})` : ''}`
}

function handlerOf(model: Model, actor: Actor): Handle {
  const real = model.handler(model, actor)
  const handle = model.removal.handle?.(real, model) ?? real
  return (payload, ctx) => {
    model.watch.ran(ctx.uniqueRequestId)
    model.simulation.log.push(`${actor.name} runs the handler, attempt ${ctx.attempt}`)
    return handle(payload, ctx)
  }
}

function consumerOf(model: Model, actor: Actor, messages: readonly SimulatedMessage[]): Consumer {
  const { simulation, table, watch, removal } = model
  const messenger = messengerOf(actor, model)
  const onFailure = model.onFailure?.(model, actor)
  return {
    ...model.consumer,
    ...(onFailure && { onFailure: inLog(onFailure, model, actor) }),
    store: storeOf(actor, simulation, table, watch),
    messenger: removal.messenger?.(messenger, model, messages) ?? messenger,
    clock: actor.clock,
    onSettled: (settlement) => settlementsOf(actor).push(settlement),
  }
}

function inLog(onFailure: OnFailure, { simulation }: Model, actor: Actor): OnFailure {
  return (payload, ctx, end) => {
    simulation.log.push(
      `${actor.name} runs onFailure of death ${end.deaths}, attempt ${ctx.attempt}`,
    )
    return onFailure(payload, ctx, end)
  }
}

const settlements = new WeakMap<Actor, Settlement[]>()

/** How the records of the invocation ended. */
function settlementsOf(actor: Actor): Settlement[] {
  const known = settlements.get(actor) ?? []
  settlements.set(actor, known)
  return known
}

function answer(
  model: Model,
  actor: Actor,
  messages: readonly SimulatedMessage[],
  { batchItemFailures }: SQSBatchResponse,
): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  const kinds = settlementsOf(actor)
    .map(({ kind }) => kind)
    .join(', ')
  model.simulation.log.push(
    `${actor.name} answers: ${kinds}${failed.size > 0 ? ', stays on the queue' : ''}`,
  )
  const kept = settlementsOf(actor).filter((settlement) => !isAcknowledged(settlement))
  // A record without an end when the time is up stays on the queue; none may go without an end that acknowledges it.
  const ended = settlementsOf(actor).length - kept.length
  if (messages.length - failed.size > ended)
    violate(model.simulation, `${kinds} was answered with ${failed.size} failures`)
  const alsoGoes = kept.some((settlement) => model.removal.acknowledges?.(settlement) === true)
  for (const message of messages) {
    if (alsoGoes || !failed.has(message.id)) acknowledge(model, actor, message)
  }
}

/** A failed invocation keeps all its messages. Only an outage of the store may be reported that way. */
function fail({ simulation }: Model, actor: Actor, error: unknown): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  simulation.log.push(`${actor.name} fails: its messages stay`)
  if (!hasCode(error, 'STORE_UNAVAILABLE'))
    violate(simulation, `an invocation threw ${messageOf(error)}`)
}

function acknowledge(model: Model, actor: Actor, message: SimulatedMessage): void {
  model.watch.acknowledged(message)
  const name = `Lambda, for ${actor.name},`
  void call(
    model.simulation,
    { ...actor, name, role: 'lambda', state: 'running' },
    {
      what: `deletes ${message.id}`,
      apply: async () => remove(model.queue, message.id),
      unanswered: () => {},
      seen: () => '',
      faults: ['request lost'],
    },
  )
}
