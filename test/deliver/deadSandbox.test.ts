import { AsyncLocalStorage } from 'node:async_hooks'
import type { RecordHandlerOptions } from 'lineclear'
import { expect, it } from 'vitest'
import type { SimulatedMessage } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'

const HOUR = 3_600_000

/** One of the messages kills its sandbox whenever it runs: from then on no code of that invocation runs. */
function withPoison(options: Partial<RecordHandlerOptions> & { readonly queue?: string } = {}) {
  const ran: number[] = []
  const sandbox = new AsyncLocalStorage<{ isDown: boolean; readonly wentDown: () => void }>()
  const never = new Promise<never>(() => {})
  const consumer = consumerOf(async (payload) => {
    const mine = sandbox.getStore()
    if (mine === undefined || mine.isDown) return never
    const { n } = payload as { n: number }
    ran.push(n)
    if (n !== 0) return
    mine.isDown = true
    mine.wentDown()
    return never
  }, options)
  const { store } = consumer
  const unlessDown =
    <Args extends readonly unknown[], A>(call: (...args: Args) => Promise<A>) =>
    (...args: Args): Promise<A> =>
      sandbox.getStore()?.isDown === true ? never : call(...args)
  Object.assign(store, { create: unlessDown(store.create), update: unlessDown(store.update) })
  /** Until the sandbox is down, or the batch has an answer; then the lease is over. */
  const invoke = async (messages: readonly SimulatedMessage[]): Promise<void> => {
    const { promise: down, resolve: wentDown } = Promise.withResolvers<void>()
    const answer = sandbox.run({ isDown: false, wentDown }, () => consumer.deliver(messages))
    await Promise.race([answer, down])
    await new Promise(setImmediate)
    consumer.clock.advance(HOUR)
  }
  const invokeUntilEmpty = async (): Promise<void> => {
    for (let nth = 0; nth < 20 && consumer.queue.messages.length > 0; nth++) {
      await invoke([...consumer.queue.messages])
    }
  }
  const sendAll = (count: number): SimulatedMessage[] =>
    Array.from({ length: count }, (_, n) => consumer.send(JSON.stringify({ n })))
  return { ...consumer, ran, sendAll, invokeUntilEmpty }
}

const runsOf = (ran: readonly number[], n: number): number =>
  ran.filter((each) => each === n).length

it.each([
  [10, 6],
  [10, 2],
  [10, 1],
  [250, 3],
])(
  'of %i records the one that kills its sandbox is dead-lettered after %i attempts, and the others run',
  async (count, maxAttempts) => {
    const { dead, ran, reasons, sendAll, invokeUntilEmpty, queue } = withPoison({
      retry: { maxAttempts },
    })
    sendAll(count)
    await invokeUntilEmpty()
    expect(queue.messages).toEqual([])
    expect(reasons()).toEqual(['exhausted'])
    expect(dead.messages.map(({ message }) => message.body)).toEqual(['{"n":0}'])
    expect(runsOf(ran, 0)).toBe(maxAttempts)
    for (let n = 1; n < count; n++) expect(runsOf(ran, n)).toBe(1)
  },
)

it('a group whose first record kills its sandbox delays no other group', async () => {
  const { clock, dead, ran, queue, send, invokeUntilEmpty } = withPoison({
    queue: 'orders.fifo',
    retry: { maxAttempts: 3 },
  })
  for (const n of [0, 1, 2]) {
    const sent = send(JSON.stringify({ n }))
    Object.assign(sent, { message: { ...sent.message, groupId: `g${n}` } })
  }
  clock.advance(1)
  await invokeUntilEmpty()
  expect(queue.messages).toEqual([])
  expect(dead.messages.map(({ message }) => message.body)).toEqual(['{"n":0}'])
  expect([runsOf(ran, 0), runsOf(ran, 1), runsOf(ran, 2)]).toEqual([3, 1, 1])
})

it('a function whose timeout is shorter than a claim dead-letters no record that it has not run', async () => {
  let runs = 0
  const { clock, store, dead, queue, send, deliver } = consumerOf(() => (runs += 1), { left: 900 })
  const { create, read, update } = store
  const slow =
    <Args extends readonly unknown[], A>(call: (...args: Args) => Promise<A>) =>
    async (...args: Args): Promise<A> => {
      const answer = await call(...args)
      clock.advance(1_000)
      return answer
    }
  const killed = <A>(): Promise<A> => new Promise<A>(() => {})
  // The claim is written, and its sender is killed before the answer.
  store.create = async (items) => {
    await create(items)
    return killed()
  }
  store.update = async (updates) => {
    await update(updates)
    return killed()
  }
  store.read = slow(read)
  const sent = send('{}')
  for (let nth = 0; nth < 10; nth++) {
    await Promise.race([deliver(sent), new Promise((resolve) => setTimeout(resolve, 20))])
    clock.advance(HOUR)
  }
  expect([runs, dead.messages, queue.messages]).toEqual([0, [], [sent]])
  Object.assign(store, { create, read, update })
  await deliver(sent)
  expect([runs, queue.messages]).toEqual([1, []])
})
