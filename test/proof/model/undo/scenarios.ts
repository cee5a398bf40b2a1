import type { Consumer } from '../../../../src/deliver/consumer.ts'
import type { AnyUndo, MadeEffect } from '../../../../src/consumer/undo.ts'
import type { RecordContext } from '../../../../src/context/context.ts'
import { TerminalError } from '../../../../src/base/errors.ts'
import { applyPlan } from '../../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../../../tools/operator/noReader.ts'
import { planDecision } from '../../../../src/tools/operator/plan/planDecision.ts'
import {
  type Actor,
  startInvocation,
} from '../../../../src/testing/crashes/simulation/simulation.ts'
import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'
import { put } from '../../../../src/testing/queues/simulatedQueue.ts'
import { readToken } from '../../../../src/claim/token/token.ts'
import { deadRecordOf } from '../../../../src/claim/token/deadRecord.ts'
import { recordUndoMessage } from '../../../../src/features/undo/keptPayload.ts'
import { engine } from '../../../../src/features/undo/compensate.ts'
import { nativeRedrive } from '../../../testing/nativeRedrive.ts'
import type { Model } from '../model.ts'
import { messengerOf } from '../modelMessenger.ts'
import { storeOf } from '../modelStore.ts'
import { QUEUE_URL } from '../places.ts'
import { violate } from '../violation.ts'
import { charge, consumerWith, type Go, ID, order, reserve, type Scenario } from '../scenario.ts'

const NAME = 'orders'
const release = { ...reserve, add: { reserved: -1 } }
const anyPayload = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const

/** Reserves, charges, and fails for good, unless an operator has redriven it. */
const handler: Scenario['handler'] = (model, actor) => async (_payload, ctx) => {
  await ctx.write('reserve', reserve)
  await ctx.call('charge', ({ idempotencyKey }) => charge(model, actor, idempotencyKey))
  if (model.redriven === 0) throw new TerminalError('refused')
}

/** Its second attempt fails before it charges: nobody knows whether the first one did. */
const unsure: Scenario['handler'] = (model, actor) => async (_payload, ctx) => {
  await ctx.write('reserve', reserve)
  if (ctx.attempt > 1) throw new TerminalError('refused')
  await ctx.call('charge', ({ idempotencyKey }) => charge(model, actor, idempotencyKey))
  throw new TerminalError('refused')
}

/** What was voided, by the key of the charge. */
export const VOID = 'void '

function undoOf(model: Model, actor: Actor): AnyUndo {
  return {
    schema: anyPayload,
    engine,
    handlers: {
      reserve: (_payload: unknown, ctx: RecordContext) => {
        onlyWhileUndoing(model)
        return ctx.write('release', release)
      },
      charge: (_payload: unknown, ctx: RecordContext, { idempotencyKey: key }: MadeEffect) => {
        onlyWhileUndoing(model)
        return ctx.call('void', () => charge(model, actor, VOID + key, undefined, 'void'))
      },
    },
  }
}

function inText(status: unknown): string {
  return typeof status === 'string' ? status : 'complete, or not there'
}

/** A late attempt of the undo may still run when it is noted: it can write nothing. */
function onlyWhileUndoing({ table, simulation }: Model): void {
  const status = table.tokens.get(`lock#${NAME}/${ID}`)?.['status']
  const isMeant = status === 'undoing' || status === 'undone'
  if (!isMeant) violate(simulation, `undone while its request is ${inText(status)}`)
}

export const consumer = (): Consumer => ({
  ...consumerWith({ maxAttempts: 3 })(),
  names: new Set([NAME, `${NAME}.undo`]),
  undoes: true,
})

export function undoing(undoDead: boolean): Scenario['strategy'] {
  return (handle, model, actor) =>
    engine.recordsOf({ consumer: model.consumer, undo: undoOf(model, actor), undoDead }, handle)
      .strategy
}

/** Asks again for an undo that has not ended. */
export function sweep(model: Model): boolean {
  const { table, queue, simulation } = model
  const item = table.tokens.get(`lock#${NAME}/${ID}`)
  const token = item && readToken(item)
  if (token?.status !== 'undoing' || simulation.actors.length > 12) return false
  const message = recordUndoMessage(deadRecordOf(token), { queue: QUEUE_URL }, simulation.now)
  simulation.log.push('the sweeper asks for the undo again')
  put(queue, message, simulation.now)
  return true
}

/** An operator asks for the undo, one call of the store at a time. */
export function askForUndo(model: Model): void {
  const { simulation, table, watch } = model
  const actor = startInvocation(simulation, 0)
  const store = storeOf(actor, simulation, table, watch)
  simulation.log.push(`${actor.name} is an operator who asks for the undo`)
  simulation.current = actor
  const now = actor.clock.now()
  const ask = async (): Promise<string> => {
    const plan = await planDecision(
      `lock#${NAME}/${ID}`,
      'undo',
      {},
      { reader: NO_READER, store, now },
    )
    if (plan.kind !== 'change') return plan.because
    const operator = { by: 'ann', why: '', force: false, now, messenger: messengerOf(actor, model) }
    return (await applyPlan(store, plan, operator)).kind
  }
  ask().then(end, end)

  function end(result: unknown): void {
    if (actor.state === 'killed') return
    actor.state = 'answered'
    simulation.log.push(`${actor.name} ends: ${String(result)}`)
  }
}

export async function dead(model: Model, { settle }: Go): Promise<void> {
  order(model)
  await settle()
}

/** Everything stands once, or everything is undone once. */
export function judge({ table, calls }: Model): string | undefined {
  const status = table.tokens.get(`lock#${NAME}/${ID}`)?.['status']
  const reserved = Number(table.base.userItems('stock')[0]?.['reserved'] ?? 0)
  const charges = calls.filter((key) => !key.startsWith(VOID))
  const voided = new Set(calls.filter((key) => key.startsWith(VOID)))
  if (status === undefined || status === 'error') {
    if (voided.size > 0) return 'an effect was undone, and its request was not'
    return reserved === 1 || charges.length === 0 ? undefined : `reserved ${reserved} times`
  }
  if (status !== 'undone') return `at rest, its request is ${inText(status)}`
  if (reserved !== 0) return `undone, and ${reserved} reserved`
  return charges.every((key) => voided.has(VOID + key)) ? undefined : 'undone, and a charge stands'
}

/** Here the other faults do the same as elsewhere. */
const LIGHT: readonly CrashFault[] = ['answer lost', 'killed on the wire', 'clock jumps']

const common = { consumer, handler, judge, sweep }

export type UndoScenarioName = 'operator' | 'beside' | 'twice' | 'undoDead' | 'unsure'

export const undoScenarios: Readonly<Record<UndoScenarioName, Scenario>> = {
  operator: {
    ...common,
    name: 'an operator undoes a dead record',
    strategy: undoing(false),
    begin: async (model, go) => {
      await dead(model, go)
      askForUndo(model)
    },
  },
  beside: {
    ...common,
    name: 'an operator undoes it while another one redrives it',
    strategy: undoing(false),
    begin: async (model, go) => {
      await dead(model, go)
      model.redriven += 1
      nativeRedrive(model.deadLetters, model.queue, model.simulation.now)
      askForUndo(model)
    },
  },
  twice: {
    ...common,
    name: 'two operators undo it at once',
    light: LIGHT,
    strategy: undoing(false),
    begin: async (model, go) => {
      await dead(model, go)
      askForUndo(model)
      askForUndo(model)
    },
  },
  unsure: {
    ...common,
    name: 'nobody knows whether the call of a dead record was made',
    light: LIGHT,
    handler: unsure,
    strategy: undoing(true),
    begin: async (model) => void order(model),
  },
  undoDead: {
    ...common,
    name: 'it is undone by itself, and its dead letter is redriven',
    light: LIGHT,
    strategy: undoing(true),
    begin: async (model) => {
      model.redrivesLeft = 2
      order(model)
    },
  },
}
