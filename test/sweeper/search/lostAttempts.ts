import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { recordHandler, type RecordHandlerOptions, sweepHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import type { Item, Store } from '../../../src/library/protocol/store/store.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { testTime } from '../../flow/flowHarness.ts'
import type { SweepOptions } from '../../../src/library/entries/sweeper/sweepHandler.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND

let nth = 0

export async function storeOf(kind: 'memory' | 'DynamoDB', cloud: LocalCloud): Promise<Store> {
  if (kind === 'memory') return memoryStore()
  const tableName = `search-${process.pid}-${(nth += 1)}`
  await cloud.dynamodb.send(new CreateTableCommand(tableDefinition({ tableName })))
  return dynamoDbStore({ tableName, client: cloud.dynamodb })
}

/** Requests whose sandboxes die, and sweepers that search for them. */
export async function lostAttempts(kind: 'memory' | 'DynamoDB', cloud: LocalCloud) {
  const store = await storeOf(kind, cloud)
  const clock = testTime()
  const logger = quietLogger()
  const ran: string[] = []
  const options: RecordHandlerOptions = {
    name: 'orders',
    store,
    clock,
    logger,
    clients: { sqs: cloud.sqs },
    id: (payload) => (payload as { id: string }).id,
  }
  const handler = recordHandler(options, (payload) => {
    ran.push((payload as { id: string }).id)
  })
  const item = async (id: string): Promise<Item | undefined> => {
    const key = { pk: `lock#orders/${id}`, sk: 'token' }
    const [read] = await store.read([key], { consistent: true })
    return read?.kind === 'found' ? read.item : undefined
  }
  const sweeper = (more: Partial<SweepOptions> = {}) =>
    sweepHandler({ store, clock, logger, clients: { sqs: cloud.sqs }, ...more })
  return {
    store,
    clock,
    ran,
    lines: logger.lines,
    item,
    sweeper,
    /** Runs their first attempts, which are killed: no code of theirs runs from then on. */
    killed: async (...ids: readonly string[]) => {
      const { promise: all, resolve } = Promise.withResolvers<void>()
      let begun = 0
      const killing = recordHandler(options, () => {
        begun += 1
        if (begun === ids.length) resolve()
        return new Promise<never>(() => {})
      })
      for (const id of ids) void killing(sqsEvent({ id }), lambdaContext(25 * SECOND))
      await all
    },
    /** A message that comes back, however late. */
    deliver: (id: string) => handler(sqsEvent({ id }), lambdaContext(25 * SECOND)),
    isListed: async (id: string) => (await item(id))?.['statusShard'] !== undefined,
  }
}
