import { afterAll, beforeAll } from 'vitest'
import { memoryStore } from '../../src/testing/memoryStore.ts'
import { storeContract } from './contract/storeContract.ts'
import { createTables, type Engine, LINES, startDynoxide } from './dynoxide.ts'
import { WAYS } from './ways.ts'

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

for (const { name, open } of WAYS) {
  storeContract(`DynamoDB, ${name}`, async () => {
    const client = engine.client()
    const { tableName, ...users } = await createTables(client)
    return { store: open({ tableName, client }), ...users }
  })
}
