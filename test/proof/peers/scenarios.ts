import type { ServiceOutputTypes } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { intercept, lostAnswer, serviceError } from '../../store/seam.ts'
import type { Call, Subject } from './subject.ts'

export interface Scenario {
  readonly fault: string
  play(subject: Subject): Promise<unknown>
  /** The results. */
  readonly lineclear: unknown
  readonly powertools: unknown
}

interface Gate {
  readonly opened: Promise<unknown>
  open(value?: unknown): void
  fail(error?: Error): void
}

function gate(): Gate {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  return { opened: promise, open: resolve, fail: reject }
}

/** The name of what a call threw, or what it returned. */
function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => (error instanceof Error ? error.name : error))
}

/** Each run waits for its own gate. */
function gated(subject: Subject): { call: Call; gates: Gate[]; runs: () => number } {
  const gates = [gate(), gate(), gate()]
  let runs = 0
  const call = subject.guard(async () => gates[runs++]?.opened)
  return { call, gates, runs: () => runs }
}

async function twice(subject: Subject, result: unknown): Promise<readonly unknown[]> {
  let runs = 0
  const call = subject.guard(async () => {
    runs += 1
    return result
  })
  const first = await outcomeOf(call({ id: 1 }, subject.dying()))
  await subject.letLockEnd()
  return [first, await outcomeOf(call({ id: 1 }, lambdaContext())), runs]
}

const event = { id: 'a' }
const sized = (value: unknown): unknown =>
  typeof value === 'string' && value.length > 99 ? value.length : value

export const scenarios: readonly Scenario[] = [
  {
    fault:
      'trap a, zombie: a holder whose lock was taken over fails, and frees the lock of its successor',
    async play(subject) {
      const { call, gates, runs } = gated(subject)
      const zombie = outcomeOf(call(event, subject.dying()))
      await subject.letLockEnd()
      const second = outcomeOf(call(event, lambdaContext()))
      await new Promise((resolve) => setTimeout(resolve, 100))
      gates[0]?.fail(new Error('boom'))
      await zombie
      gates[2]?.open('third')
      const third = await outcomeOf(call(event, lambdaContext()))
      gates[1]?.open('second')
      await second
      return { runs: runs(), third }
    },
    lineclear: { runs: 2, third: 'InProgressError' },
    powertools: { runs: 3, third: 'third' },
  },
  {
    fault:
      'trap a, zombie: a holder whose lock was taken over ends late, and replaces the answer of its successor',
    async play(subject) {
      const { call, gates } = gated(subject)
      const zombie = call(event, subject.dying())
      await subject.letLockEnd()
      gates[1]?.open('second')
      const second = await call(event, lambdaContext())
      gates[0]?.open('zombie')
      await zombie
      return { second, replay: await call(event, lambdaContext()) }
    },
    lineclear: { second: 'second', replay: 'second' },
    powertools: { second: 'second', replay: 'zombie' },
  },
  {
    fault: 'trap b, middy: a duplicate that arrives while the handler runs frees its lock',
    async play(subject) {
      const gates = [gate(), gate()]
      let runs = 0
      const call = subject.chain(async () => gates[runs++]?.opened)
      const first = call(event)
      await new Promise((resolve) => setTimeout(resolve, 100))
      const duplicate = await outcomeOf(call(event))
      gates[1]?.open('third')
      const third = await outcomeOf(call(event))
      gates[0]?.open('first')
      await first
      return { duplicate, third, runs }
    },
    lineclear: { duplicate: 'InProgressError', third: 'InProgressError', runs: 1 },
    powertools: { duplicate: 'IdempotencyAlreadyInProgressError', third: 'third', runs: 2 },
  },
  {
    fault: 'trap c, middy: the early timeout frees the lock of a handler that still runs',
    async play(subject) {
      let effects = 0
      const call = subject.chain(async () => {
        await new Promise((resolve) => setTimeout(resolve, 150))
        return (effects += 1)
      })
      const first = await outcomeOf(call(event, runningOut(100)))
      const retry = await outcomeOf(call(event, lambdaContext()))
      await new Promise((resolve) => setTimeout(resolve, 300))
      return { first, retry, effects }
    },
    lineclear: { first: 'TimeoutError', retry: 'InProgressError', effects: 1 },
    powertools: { first: 'TimeoutError', retry: 2, effects: 2 },
  },
  {
    fault: 'middy: a replay of undefined runs the handler again',
    async play(subject) {
      let runs = 0
      const call = subject.chain(async () => void (runs += 1))
      await call(event)
      await call(event)
      return runs
    },
    lineclear: 1,
    powertools: 2,
  },
  {
    fault: 'middy: an error handler that answers first leaves the lock behind',
    async play(subject) {
      let runs = 0
      const call = subject.chain(async () => {
        runs += 1
        throw new Error('boom')
      }, [{ onError: () => 'answered' }])
      return [await outcomeOf(call(event)), await outcomeOf(call(event)), runs]
    },
    lineclear: ['answered', 'answered', 2],
    powertools: ['answered', 'answered', 1],
  },
  {
    fault: 'trap d, the function changes its input: its end is stored under a different key',
    async play(subject) {
      let runs = 0
      const call = subject.guard(async (input) => {
        Object.assign(input as object, { id: 'changed' })
        return (runs += 1)
      })
      const first = await call({ id: 'a' }, lambdaContext())
      return [first, await outcomeOf(call({ id: 'a' }, lambdaContext())), runs]
    },
    lineclear: [1, 1, 1],
    powertools: [1, 'IdempotencyAlreadyInProgressError', 1],
  },
  {
    fault: 'trap e, a key with a missing part is accepted, and shared',
    async play(subject) {
      const call = subject.guard(async (input) => (input as { customer: string }).customer, {
        key: '[type, order]',
      })
      const first = await outcomeOf(call({ type: 'pay', customer: 'one' }, lambdaContext()))
      return [first, await outcomeOf(call({ type: 'pay', customer: 'two' }, lambdaContext()))]
    },
    lineclear: ['RejectedError', 'RejectedError'],
    powertools: ['one', 'one'],
  },
  {
    fault: 'trap e, the key 0 counts as missing',
    async play(subject) {
      const call = subject.guard(async () => 'done')
      return [
        await outcomeOf(call({ id: 0 }, lambdaContext())),
        await outcomeOf(call({ id: 0 }, lambdaContext())),
      ]
    },
    lineclear: ['done', 'done'],
    powertools: ['IdempotencyPersistenceLayerError', 'IdempotencyPersistenceLayerError'],
  },
  {
    fault: 'trap f, two functions with one store: the second gets the options of the first',
    async play(subject) {
      const runs = [0, 0]
      const count = (nth: number) => async (): Promise<unknown> =>
        (runs[nth] = (runs[nth] ?? 0) + 1)
      const [byId, byOrder] = subject.guardTwo(
        [count(0), count(1)],
        [{ key: 'id' }, { key: 'order' }],
      )
      await byId({ id: 1, order: 'x' }, lambdaContext())
      await byOrder({ id: 1, order: 'a' }, lambdaContext())
      await byOrder({ id: 1, order: 'b' }, lambdaContext())
      return runs
    },
    lineclear: [1, 2],
    powertools: [1, 1],
  },
  {
    fault: 'trap g, no time left: the lock of a dead holder lasts as long as the record',
    async play(subject) {
      const { call, gates } = gated(subject)
      void call(event, lambdaContext(0))
      await subject.letLockEnd()
      gates[1]?.open('second')
      return outcomeOf(call(event, lambdaContext()))
    },
    lineclear: 'second',
    powertools: 'IdempotencyAlreadyInProgressError',
  },
  {
    fault: 'trap g, no context: the lock of a dead holder lasts as long as the record',
    async play(subject) {
      const { call, gates } = gated(subject)
      void call(event)
      await subject.letLockEnd(16 * 60_000)
      gates[1]?.open('second')
      return outcomeOf(call(event))
    },
    lineclear: 'second',
    powertools: 'IdempotencyAlreadyInProgressError',
  },
  {
    fault: 'trap h, a result with a nested undefined: the work is done, not stored, and done again',
    play: (subject) => twice(subject, { a: { b: undefined } }),
    lineclear: [{ a: { b: undefined } }, { a: { b: undefined } }, 1],
    powertools: ['IdempotencyPersistenceLayerError', 'IdempotencyPersistenceLayerError', 2],
  },
  {
    fault: 'trap h, a result with a Date: the work is done, not stored, and done again',
    play: (subject) => twice(subject, { at: new Date(0) }),
    lineclear: [{ at: new Date(0) }, { at: new Date(0) }, 1],
    powertools: ['IdempotencyPersistenceLayerError', 'IdempotencyPersistenceLayerError', 2],
  },
  {
    fault: 'trap h, a result with NaN: the work is done, not stored, and done again',
    play: (subject) => twice(subject, Number.NaN),
    lineclear: [Number.NaN, Number.NaN, 1],
    powertools: ['IdempotencyPersistenceLayerError', 'IdempotencyPersistenceLayerError', 2],
  },
  {
    fault: 'trap h, a class instance: the work is done, not stored, and done again',
    async play(subject) {
      class Receipt {
        readonly id = 1
      }
      const [first, replay, runs] = await twice(subject, new Receipt())
      return [JSON.stringify(first), JSON.stringify(replay), runs]
    },
    lineclear: ['{"id":1}', '{"id":1}', 1],
    powertools: ['"IdempotencyPersistenceLayerError"', '"IdempotencyPersistenceLayerError"', 2],
  },
  {
    fault: 'trap h, a bigint and a Map: the replay is of another type',
    async play(subject) {
      const [, replay] = await twice(subject, { n: 5n, map: new Map([['a', 1]]) })
      const { n, map } = replay as { n: unknown; map: unknown }
      return [typeof n, map instanceof Map]
    },
    lineclear: ['bigint', true],
    powertools: ['number', false],
  },
  {
    fault: 'trap h, a result of more than 400 KB: the work is done, not stored, and done again',
    async play(subject) {
      const [first, replay, runs] = await twice(subject, 'x'.repeat(450_000))
      return [sized(first), replay, runs]
    },
    lineclear: [450_000, 'TerminalError', 1],
    powertools: ['IdempotencyPersistenceLayerError', 'IdempotencyPersistenceLayerError', 2],
  },
  {
    fault: 'trap k, a function that throws undefined: the caller gets another error',
    play: (subject) =>
      outcomeOf(
        subject.guard(() => {
          const nothing = gate()
          nothing.fail()
          return nothing.opened
        })(event, lambdaContext()),
      ),
    lineclear: undefined,
    powertools: 'IdempotencyUnknownError',
  },
  {
    fault: 'a large result is kept in the lock: each duplicate pays for all of it',
    async play(subject) {
      const sizes: number[] = []
      const call = subject.guard(async () => 'x'.repeat(20_000))
      await call(event, lambdaContext())
      intercept(subject.client, 'around', async ({ command, send }) => {
        const refused = await send().catch((error: unknown) => error as { Item?: object })
        if (command === 'PutItemCommand')
          sizes.push(JSON.stringify('Item' in refused ? refused.Item : {}).length)
        if (refused instanceof Error) throw refused
        return refused as ServiceOutputTypes
      })
      await call(event, lambdaContext())
      return sizes.map((size) => (size > 20_000 ? 'more than 20 KB' : 'less than 2 KB'))
    },
    lineclear: ['less than 2 KB'],
    powertools: ['more than 20 KB'],
  },
  {
    fault: 'the answer to the claim is lost: the holder takes itself for another',
    async play(subject) {
      intercept(subject.client, 'inside', async ({ nth, send }) => {
        const output = await send()
        if (nth === 0) throw lostAnswer()
        return output
      })
      let runs = 0
      const call = subject.guard(async () => (runs += 1))
      return [await outcomeOf(call(event, lambdaContext())), runs]
    },
    lineclear: [1, 1],
    powertools: ['IdempotencyAlreadyInProgressError', 0],
  },
  {
    fault: 'the end cannot be stored: the caller gets an error for work that was done',
    async play(subject) {
      throttle(subject, 'UpdateItemCommand')
      let runs = 0
      const call = subject.guard(async () => (runs += 1))
      return [await outcomeOf(call(event, lambdaContext(5_000))), runs]
    },
    lineclear: [1, 1],
    powertools: ['IdempotencyPersistenceLayerError', 1],
  },
  {
    fault: 'the lock cannot be freed: the error of the function is replaced',
    async play(subject) {
      throttle(subject, 'UpdateItemCommand', 'DeleteItemCommand')
      const call = subject.guard(async () => {
        throw new RangeError('my own')
      })
      return outcomeOf(call(event, lambdaContext()))
    },
    lineclear: 'RangeError',
    powertools: 'IdempotencyPersistenceLayerError',
  },
  {
    fault: 'twenty callers at once: nineteen get an error',
    async play(subject) {
      let runs = 0
      const call = subject.guard(
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 100))
          return (runs += 1)
        },
        { wait: 10_000 },
      )
      const calls = Array.from({ length: 20 }, () => outcomeOf(call(event, lambdaContext())))
      const groups = Map.groupBy(await Promise.all(calls), String)
      return Object.fromEntries([...groups].map(([outcome, { length }]) => [outcome, length]))
    },
    lineclear: { 1: 20 },
    powertools: { 1: 1, IdempotencyAlreadyInProgressError: 19 },
  },
]

function throttle(subject: Subject, ...commands: readonly string[]): void {
  intercept(subject.client, 'around', async ({ command, send }) => {
    if (commands.includes(command)) throw serviceError('ProvisionedThroughputExceededException')
    return send()
  })
}

function runningOut(left: number): Context {
  const end = Date.now() + left
  return { ...lambdaContext(), getRemainingTimeInMillis: () => end - Date.now() }
}
