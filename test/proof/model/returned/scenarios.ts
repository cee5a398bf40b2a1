import { absent, TerminalError } from '../../../../src/library/index.ts'
import { returnedStrategy } from '../../../../src/library/entries/consumer/returned/returnedStrategy.ts'
import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'
import { receivedTwice, sentBackOnce, sentTwice, sentTwiceInOneBatch } from '../begin.ts'
import { buriedOnce, endOf, ends, reservedOnce } from '../judge.ts'
import { consumerWith, reserve, type Scenario } from '../scenario.ts'

/** Here the other faults do the same as elsewhere. */
const LIGHT: readonly CrashFault[] = ['answer lost', 'killed on the wire', 'clock jumps']

/** Each of two messages may be run once without a claim. */
const common = {
  consumer: consumerWith({ maxAttempts: 3 }),
  strategy: (handle) => returnedStrategy((payload, ctx) => handle(payload, ctx as never)),
  unclaimed: 2,
} satisfies Partial<Scenario>

const writes: Pick<Scenario, 'handler' | 'judge'> = {
  handler: () => async () => reserve,
  judge: (model) => ends(model, 'completed') ?? reservedOnce(model),
}

export type ReturnedScenarioName =
  | 'received'
  | 'sent'
  | 'oneBatch'
  | 'retried'
  | 'hopeless'
  | 'terminal'
  | 'guarded'
  | 'redriven'

export const returnedScenarios: Readonly<Record<ReturnedScenarioName, Scenario>> = {
  received: { ...common, ...writes, name: 'one write, received twice', begin: receivedTwice },
  sent: { ...common, ...writes, name: 'one write, sent twice', begin: sentTwice },
  oneBatch: {
    ...common,
    ...writes,
    name: 'one write, twice in one batch',
    light: LIGHT,
    begin: sentTwiceInOneBatch,
  },
  retried: {
    ...common,
    name: 'fails at first, and is claimed then',
    begin: sentTwice,
    handler:
      () =>
      async (_payload, { attempt }) => {
        if (attempt === 1) throw new Error('not yet')
        return reserve
      },
    judge: (model) => ends(model, 'completed', 'dead-lettered') ?? reservedOnce(model),
  },
  hopeless: {
    ...common,
    name: 'fails always',
    light: LIGHT,
    begin: receivedTwice,
    handler: () => async () => {
      throw new Error('never')
    },
    judge: (model) => ends(model, 'dead-lettered') ?? reservedOnce(model) ?? buriedOnce(model),
  },
  terminal: {
    ...common,
    name: 'one copy writes, the other one fails for good',
    begin: sentTwice,
    handler: (model) => {
      const isSecond = model.watch.executions('order-1') > 0
      return async () => {
        if (isSecond) throw new TerminalError('no such account')
        return reserve
      }
    },
    judge: (model) =>
      endOf(model) === 'completed and dead-lettered'
        ? 'made, and reported as dead'
        : (ends(model, 'completed', 'dead-lettered') ?? reservedOnce(model)),
  },
  guarded: {
    ...common,
    name: 'a guard that holds for one of two copies',
    light: LIGHT,
    begin: sentTwice,
    handler: () => async () => ({ ...reserve, guard: absent() }),
    judge: (model) => ends(model, 'completed') ?? reservedOnce(model),
  },
  redriven: {
    ...common,
    name: 'dies, and writes when it is redriven',
    light: LIGHT,
    begin: sentBackOnce,
    handler: (model) => async () => {
      if (model.redriven === 0) throw new TerminalError('not before it is repaired')
      return reserve
    },
    judge: (model) => ends(model, 'completed', 'dead-lettered') ?? reservedOnce(model),
  },
}
