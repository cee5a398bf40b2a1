import { afterAll, beforeAll } from 'vitest'
import { dynamoDbStore } from '../../src/store/dynamodb/index.ts'
import { memoryStore } from '../../src/testing/memoryStore.ts'
import { storeContract } from './contract/storeContract.ts'
import { createTables, type Engine, LINES, startDynoxide } from './dynoxide.ts'

storeContract('memory', async () => ({
  store: memoryStore({ tables: { stock: { hash: 'id' }, lines: LINES } }),
  userTable: 'stock',
  lines: 'lines',
}))

let engine: Engine
beforeAll(async () => {
  engine = await startDynoxide()
})
afterAll(() => engine.stop())

storeContract('DynamoDB', async () => {
  const client = engine.client()
  const { tableName, ...users } = await createTables(client)
  return { store: dynamoDbStore({ tableName, client }), ...users }
})
