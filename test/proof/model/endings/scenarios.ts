import { TerminalError } from '../../../../src/library/base/errors.ts'
import type { OnFailure } from '../../../../src/library/run/context/failureEnd.ts'
import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'
import { receivedTwice, sentBackOnce, sentTwice } from '../begin.ts'
import { endOf, ends, reservedOnce } from '../judge.ts'
import type { Model } from '../model.ts'
import { charge, consumerWith, ID, order, reserve, type Scenario } from '../scenario.ts'

/** Here the other faults do the same as elsewhere. */
const LIGHT: readonly CrashFault[] = ['answer lost', 'killed on the wire', 'clock jumps']

/** Tells once for each death, in an item of its own. */
const tell: OnFailure = async (_payload, ctx, end) => {
  await ctx.write('tell', {
    TableName: 'told',
    Key: { id: `death ${end.deaths}` },
    add: { times: 1 },
  })
}

const release = { TableName: 'stock', Key: { sku: 's' }, add: { reserved: -1 } } as const

/** Takes back what its request is said to have made. */
const takeBack: OnFailure = async (_payload, ctx, { made }) => {
  if (made.some(({ name }) => name === 'reserve')) await ctx.write('release', release)
}

const hopeless: Pick<Scenario, 'handler'> = {
  handler: () => async (_payload, ctx) => {
    await ctx.write('reserve', reserve)
    throw new TerminalError('never')
  },
}

function tokenOf({ table }: Model): Readonly<Record<string, unknown>> | undefined {
  return table.tokens.get(`lock#orders/${ID}`)
}

/** How often each death was told: the present one once, each earlier one at most once. */
function toldOnce(model: Model): string | undefined {
  const token = tokenOf(model)
  const told = new Map(model.table.base.userItems('told').map(({ id, times }) => [id, times]))
  const often = [...told].find(([, times]) => times !== 1)
  if (often !== undefined) return `told another number of times than once: ${JSON.stringify(often)}`
  if (token?.['untold'] !== undefined) return 'it was given up'
  const isDead = token?.['status'] === 'error'
  const current = `death ${String(token?.['death'])}`
  return isDead && !told.has(current) ? `${current} was never told` : undefined
}

/** Nothing is left of a request that has died for good, and one that was taken back has not completed. */
function takenBack(model: Model): string | undefined {
  const reserved = Number(model.table.base.userItems('stock')[0]?.['reserved'] ?? 0)
  const due = endOf(model) === 'completed' ? 1 : 0
  return reserved === due
    ? undefined
    : `${reserved} are reserved, and the request is ${endOf(model)}`
}

/** Redriven while what follows its death sleeps: the letter comes back at any moment. */
async function redrivenAtOnce(model: Model): Promise<void> {
  model.redrivesLeft = 2
  model.redrivesBeside = true
  order(model)
}

/** Dropped at any moment after its death, also while its dead letter comes back. */
async function droppedOrRedriven(model: Model): Promise<void> {
  model.redrivesLeft = 2
  model.redrivesBeside = true
  model.drops = true
  order(model)
}

/** Once the end of a dropped request was told, nothing is left of it. */
function droppedOrDone(model: Model): string | undefined {
  const token = tokenOf(model)
  if (token?.['final'] === undefined) return toldOnce(model) ?? reservedOnce(model)
  if (endOf(model).startsWith('completed')) return 'dropped, and completed'
  return token['untold'] === undefined ? takenBack(model) : reservedOnce(model)
}

/** Dies until an operator redrives it. */
const repaired: Pick<Scenario, 'consumer' | 'handler' | 'onFailure' | 'judge'> = {
  consumer: consumerWith({ maxAttempts: 3 }),
  handler: (model) => async (_payload, ctx) => {
    await ctx.write('reserve', reserve)
    if (model.redriven === 0) throw new TerminalError('not before it is repaired')
  },
  onFailure: () => tell,
  judge: (model) =>
    ends(model, 'completed', 'dead-lettered') ?? reservedOnce(model) ?? toldOnce(model),
}

export type EndingScenarioName =
  | 'told'
  | 'toldTwice'
  | 'sentTwice'
  | 'fails'
  | 'exhausted'
  | 'redriven'
  | 'redrivenAtOnce'
  | 'diesAgain'
  | 'final'
  | 'finalRedriven'
  | 'dropped'
  | 'unknownCall'
  | 'hidden'

export const endingScenarios: Readonly<Record<EndingScenarioName, Scenario>> = {
  told: {
    ...hopeless,
    name: 'told of its death, received twice',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    onFailure: () => tell,
    judge: (model) => ends(model, 'dead-lettered') ?? reservedOnce(model) ?? toldOnce(model),
  },
  toldTwice: {
    name: 'fails at every attempt, then is told',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: () => async () => {
      throw new Error('not yet')
    },
    onFailure: () => tell,
    judge: (model) => ends(model, 'dead-lettered') ?? toldOnce(model),
  },
  sentTwice: {
    ...hopeless,
    name: 'told of its death, sent twice',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: sentTwice,
    onFailure: () => tell,
    judge: (model) => ends(model, 'dead-lettered') ?? toldOnce(model),
  },
  fails: {
    ...hopeless,
    name: 'onFailure fails at first',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    onFailure: () => async (payload, ctx, end) => {
      await tell(payload, ctx, end)
      if (ctx.attempt === 1) throw new Error('not yet')
    },
    judge: (model) => ends(model, 'dead-lettered') ?? toldOnce(model),
  },
  exhausted: {
    ...hopeless,
    name: 'onFailure fails always',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    onFailure: () => async () => {
      throw new Error('never')
    },
    judge: (model) => {
      const untold = tokenOf(model)?.['untold']
      if (untold === undefined) return 'nobody learns that nobody was told'
      return ends(model, 'dead-lettered')
    },
  },
  hidden: {
    ...hopeless,
    name: 'onFailure fails at first, and comes back by visibility',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3, transport: 'visibility' }),
    begin: receivedTwice,
    onFailure: () => async (payload, ctx, end) => {
      await tell(payload, ctx, end)
      if (ctx.attempt === 1) throw new Error('not yet')
    },
    judge: (model) => ends(model, 'dead-lettered') ?? toldOnce(model),
  },
  redriven: { ...repaired, name: 'told, redriven, completes', begin: sentBackOnce },
  redrivenAtOnce: {
    ...repaired,
    name: 'redriven while it is told',
    light: LIGHT,
    begin: redrivenAtOnce,
  },
  diesAgain: {
    ...hopeless,
    name: 'told, redriven, dies again and is told again',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: sentBackOnce,
    onFailure: () => tell,
    judge: (model) => ends(model, 'dead-lettered') ?? reservedOnce(model) ?? toldOnce(model),
  },
  final: {
    ...hopeless,
    name: 'final: taken back, received twice',
    consumer: consumerWith({ maxAttempts: 3 }, { dead: 'final', onFailure: () => {} }),
    begin: receivedTwice,
    onFailure: () => takeBack,
    judge: (model) => ends(model, 'dead-lettered') ?? takenBack(model),
  },
  finalRedriven: {
    name: 'final: redriven all the same',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3 }, { dead: 'final', onFailure: () => {} }),
    begin: redrivenAtOnce,
    handler: (model) => async (_payload, ctx) => {
      await ctx.write('reserve', reserve)
      if (model.redriven === 0) throw new TerminalError('never')
    },
    onFailure: () => takeBack,
    judge: (model) => takenBack(model),
  },
  dropped: {
    ...repaired,
    name: 'told, dropped or redriven: taken back, or completed',
    light: LIGHT,
    begin: droppedOrRedriven,
    onFailure: () => async (payload, ctx, end) => {
      await (end.final ? takeBack : tell)(payload, ctx, end)
    },
    judge: droppedOrDone,
  },
  unknownCall: {
    name: 'a call of unknown outcome is told as such',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (model, actor) => async (_payload, ctx) => {
      await ctx.call('charge', ({ idempotencyKey }) => charge(model, actor, idempotencyKey), {
        ifUnknown: 'stop',
      })
      throw new TerminalError('never')
    },
    onFailure: () => async (payload, ctx, end) => {
      const [call] = end.made
      if (call?.name !== 'charge') throw new TerminalError('the call is not known')
      await tell(payload, ctx, end)
    },
    judge: (model) => {
      if (tokenOf(model)?.['untold'] !== undefined) return 'the call was not told'
      return model.calls.length > 1 ? 'called twice' : ends(model, 'dead-lettered')
    },
  },
}
