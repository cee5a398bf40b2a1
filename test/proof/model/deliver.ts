import type { Context, SQSBatchResponse } from 'aws-lambda'
import { type Handle, tokenStrategy } from '../../../src/batch/tokenStrategy.ts'
import { handleBatch } from '../../../src/batch/handleBatch.ts'
import type { Consumer } from '../../../src/batch/consumer.ts'
import { isAcknowledged, type Settlement } from '../../../src/claim/settlement.ts'
import { hasCode, messageOf } from '../../../src/errors.ts'
import { call } from '../../../src/testing/crashes/simulation/call.ts'
import type { Lab } from './lab.ts'
import { messengerOf } from './modelMessenger.ts'
import { storeOf } from './modelStore.ts'
import { QUEUE_ARN } from './places.ts'
import {
  type SimulatedMessage,
  receive,
  remove,
} from '../../../src/testing/queues/simulatedQueue.ts'
import {
  type Actor,
  startInvocation,
  LONGEST_INVOCATION_MS,
  type Simulation,
} from '../../../src/testing/crashes/simulation/simulation.ts'
import { violate } from './violation.ts'

/** Lambda hands the messages to an invocation of their own: the shipped code, on a modelled world. */
export function deliver(lab: Lab, letters: readonly SimulatedMessage[], skew: number = 0): void {
  const { world } = lab
  const records = letters.map((letter) => receive(lab.queue, letter, world.now, QUEUE_ARN))
  const actor = startInvocation(world, skew)
  const late = skew === 0 ? '' : `, its clock ${skew / 60_000} min ahead`
  world.log.push(`${actor.name} receives ${letters.map(inWords).join(' and ')}${late}`)
  world.current = actor
  const handle = handlerOf(lab, actor)
  handleBatch(
    { Records: records },
    contextOf(actor, world),
    consumerOf(lab, actor, letters),
    tokenStrategy(handle),
  ).then(
    (response) => answer(lab, actor, letters, response),
    (error: unknown) => fail(lab, actor, error),
  )
}

function inWords({ id, retry, death }: SimulatedMessage): string {
  return `${id}${retry > 0 ? ` (re-send ${retry})` : ''}${death > 0 ? ` (dead letter ${death})` : ''}`
}

function handlerOf(lab: Lab, actor: Actor): Handle {
  const real = lab.handler(lab, actor)
  const handle = lab.removal.handle?.(real, lab) ?? real
  return (payload, ctx) => {
    lab.watch.ran(ctx.uniqueRequestId)
    lab.world.log.push(`${actor.name} runs the handler, attempt ${ctx.attempt}`)
    return handle(payload, ctx)
  }
}

function consumerOf(lab: Lab, actor: Actor, letters: readonly SimulatedMessage[]): Consumer {
  const { world, table, watch, removal } = lab
  const messenger = messengerOf(actor, lab)
  return {
    ...lab.consumer,
    store: storeOf(actor, world, table, watch),
    messenger: removal.messenger?.(messenger, lab, letters) ?? messenger,
    clock: actor.clock,
    onSettled: (settlement) => settlementsOf(actor).push(settlement),
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
  lab: Lab,
  actor: Actor,
  letters: readonly SimulatedMessage[],
  { batchItemFailures }: SQSBatchResponse,
): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  const kinds = settlementsOf(actor)
    .map(({ kind }) => kind)
    .join(', ')
  lab.world.log.push(
    `${actor.name} answers: ${kinds}${failed.size > 0 ? ', stays on the queue' : ''}`,
  )
  const kept = settlementsOf(actor).filter((settlement) => !isAcknowledged(settlement))
  if (kept.length !== failed.size)
    violate(lab.world, `${kinds} was answered with ${failed.size} failures`)
  const alsoGoes = kept.some((settlement) => lab.removal.acknowledges?.(settlement) === true)
  for (const letter of letters) {
    if (alsoGoes || !failed.has(letter.id)) acknowledge(lab, actor, letter)
  }
}

/** A failed invocation keeps all its messages. Only an outage of the store may be told that way. */
function fail({ world }: Lab, actor: Actor, error: unknown): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  world.log.push(`${actor.name} fails: its messages stay`)
  if (!hasCode(error, 'STORE_UNAVAILABLE'))
    violate(world, `an invocation threw ${messageOf(error)}`)
}

function acknowledge(lab: Lab, actor: Actor, letter: SimulatedMessage): void {
  lab.watch.acknowledged(letter)
  const name = `Lambda, for ${actor.name},`
  void call(
    lab.world,
    { ...actor, name, role: 'lambda', state: 'running' },
    {
      what: `deletes ${letter.id}`,
      apply: async () => remove(lab.queue, letter.id),
      unanswered: () => {},
      seen: () => '',
      faults: ['request lost'],
    },
  )
}

function contextOf({ name, startedAt }: Actor, world: Simulation): Context {
  const context: Partial<Context> = {
    functionName: 'orders',
    awsRequestId: name,
    getRemainingTimeInMillis: () => LONGEST_INVOCATION_MS - (world.now - startedAt),
  }
  return context as Context
}
