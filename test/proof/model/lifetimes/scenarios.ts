import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'
import { receivedTwice, sentBackOnce } from '../begin.ts'
import { type Days, hasEnded, JUMPS, openDays, RETENTION } from '../days.ts'
import type { Model } from '../model.ts'
import { charge, consumerWith, type Go, ID, order, reserve, type Scenario } from '../scenario.ts'

/** The other faults do the same as without days. */
const LIGHT: readonly CrashFault[] = ['killed on the wire']
const [LONG, SHORT] = JUMPS
const remembers = { retention: RETENTION, maxAge: RETENTION }

const consumer: Scenario['consumer'] = () => ({
  ...consumerWith({ maxAttempts: 3 })(),
  ...remembers,
})
const tokenOf = ({ table }: Model) => table.tokens.get(`lock#orders/${ID}`)
const reserved = ({ table }: Model): number =>
  Number(table.base.userItems('stock')[0]?.['reserved'] ?? 0)

/** Fails in its first attempt, and for as long as `fails` says; its effect is made before. */
const failing =
  (fails: (model: Model, attempt: number) => boolean): Scenario['handler'] =>
  (model) =>
  async (_payload, ctx) => {
    await ctx.write('reserve', reserve)
    if (fails(model, ctx.attempt)) throw new Error('not yet')
  }

/** Its effect is made once at most; it was completed, or waits for an operator: then its record and its dead letter are there. */
function judge(model: Model): string | undefined {
  if (reserved(model) > 1) return `the effect happened ${reserved(model)} times`
  if (hasEnded(model)) return reserved(model) === 1 ? undefined : 'completed without its effect'
  const isShown = model.deadLetters.messages.some(({ uniqueRequestId }) => uniqueRequestId === ID)
  if (!isShown) return 'not completed, and no dead letter shows it'
  const status = tokenOf(model)?.['status']
  const never = model.watch.executions(ID) === 0 || model.days?.lostAt !== undefined
  const waits = status === 'error' || status === 'unknown' || never
  return waits
    ? undefined
    : `it waits for an operator, and its record is ${JSON.stringify(status ?? 'gone')}`
}

const common = { light: LIGHT, consumer, judge } satisfies Partial<Scenario>

const during =
  (days: () => Days, begin: Scenario['begin']): Scenario['begin'] =>
  async (model, go) => {
    await begin(model, go)
    model.days = days()
  }

async function dies(model: Model, { settle }: Go): Promise<void> {
  order(model)
  await settle()
  model.redrivesLeft = 1
}

export type LifetimeScenarioName = 'parked' | 'redriven' | 'retried' | 'lost' | 'usedAgain'

export const lifetimeScenarios: Readonly<Record<LifetimeScenarioName, Scenario>> = {
  parked: {
    ...common,
    name: 'parked in doubt, and redriven late',
    begin: during(
      () => openDays(2),
      async (model, { settle, until }) => {
        order(model)
        const killed = await until('A calls the service: killed on the wire')
        killed.take()
        await settle()
        model.redrivesLeft = 1
      },
    ),
    handler: (model, actor) => async (_payload, ctx) => {
      await ctx.write('reserve', reserve)
      const pays = ({ idempotencyKey }: { readonly idempotencyKey: string }) =>
        charge(model, actor, idempotencyKey)
      await ctx.call('charge', pays, { ifUnknown: 'stop' })
    },
    judge: (model) =>
      model.calls.length > 1 ? `the service was called ${model.calls.length} times` : judge(model),
  },
  redriven: {
    ...common,
    name: 'dead, and redriven late',
    begin: during(() => openDays(2), dies),
    handler: failing(({ redriven }) => redriven === 0),
  },
  retried: {
    ...common,
    name: 'tried again late, received twice',
    begin: during(() => openDays(2), receivedTwice),
    handler: failing((_model, attempt) => attempt === 1),
  },
  lost: {
    ...common,
    name: 'its record is lost before a retry or a redrive',
    begin: during(() => openDays(1, true), sentBackOnce),
    handler: failing(({ redriven }) => redriven === 0),
  },
  usedAgain: {
    ...common,
    name: 'an id that is used again after its retention',
    // A token that was deleted does not show its first life: its attempts count with those of the second one.
    consumer: () => ({ ...consumer(), maxAttempts: 5 }),
    begin: during(
      () => openDays(1),
      async (model, { settle }) => {
        order(model)
        await settle()
        model.simulation.now += LONG + SHORT
        order(model)
      },
    ),
    handler: failing((_model, attempt) => attempt === 1),
    judge: (model) => {
      if (reserved(model) !== 2) return `two requests, and ${reserved(model)} effects`
      return hasEnded(model) ? undefined : 'the second request did not end'
    },
  },
}
