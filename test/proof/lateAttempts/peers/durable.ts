import { withDurableExecution } from '@aws/durable-execution-sdk-js'
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing'
import type { Effects } from '../stage.ts'
import type { Peer } from './peer.ts'

/** Behind an event source mapping each delivery of a message is an execution of its own. */
export const durable: Peer = {
  name: 'durable functions behind SQS',
  packages: ['@aws/durable-execution-sdk-js'],
  better: 'steps and long waits in plain code, of AWS itself',
  key: 'none',
  play: async ({ name, own, attempt, goOn }) => {
    const once = { retryStrategy: () => ({ shouldRetry: false }) }
    const handlerFunction = withDurableExecution(async (_: unknown, context) => {
      const by: Effects = {
        write: (nth) => context.step('write', async () => void (await own.write(nth)), once),
        charge: (nth) => context.step('charge', async () => void (await own.charge(nth)), once),
        send: (nth) => context.step('send', async () => void (await own.send(nth)), once),
      }
      await attempt(by)
    })
    const deliver = () =>
      new LocalDurableTestRunner({ handlerFunction }).run({
        payload: { Records: [{ body: name }] },
      })
    await LocalDurableTestRunner.setupTestEnvironment()
    const late = deliver()
    await deliver()
    goOn()
    await late
    await deliver()
    await LocalDurableTestRunner.teardownTestEnvironment()
  },
}
