import { afterAll, beforeAll } from 'vitest'
import { memoryStore } from '../../src/library/adapters/store/memory/memoryStore.ts'
import { storeContract } from './contract/storeContract.ts'
import { createTables, type Engine, LINES, startDynoxide, startTypeScript } from './dynoxide.ts'
import { WAYS } from './ways.ts'

storeContract('memory', async () => ({
  store: memoryStore({ tables: { stock: { hash: 'id' }, lines: LINES } }),
  userTable: 'stock',
  lines: 'lines',
}))

/** Where there is no native engine, both are the one in TypeScript. */
const ENGINES = { DynamoDB: startDynoxide, 'DynamoDB in TypeScript': startTypeScript }

for (const [engineName, start] of Object.entries(ENGINES)) {
  let engine: Engine
  beforeAll(async () => {
    engine = await start()
  })
  afterAll(() => engine.stop())

  for (const { name, open } of WAYS) {
    storeContract(`${engineName}, ${name}`, async () => {
      const client = engine.client()
      const { tableName, ...users } = await createTables(client)
      return { store: open({ tableName, client }), ...users }
    })
  }
}
