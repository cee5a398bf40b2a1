import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll } from 'vitest'
import { dynamoDbStore, tableDefinition } from '../../src/store/dynamodb/index.ts'
import type { Store } from '../../src/store/store.ts'
import { type Engine, startDynoxide } from './dynoxide.ts'

export type OpenStore = () => Promise<Store>

let tables = 0

/** What opens an empty store of each kind; the engine lives as long as the file's tests. */
export function bothStores(): readonly (readonly [name: string, open: OpenStore])[] {
  let engine: Engine
  beforeAll(async () => {
    engine = await startDynoxide()
  })
  afterAll(() => engine.stop())
  const openTable = async (): Promise<Store> => {
    tables += 1
    const client = engine.client()
    const tableName = `both-${tables}`
    await client.send(new CreateTableCommand(tableDefinition({ tableName })))
    return dynamoDbStore({ tableName, client })
  }
  return [
    ['memory', async () => memoryStore()],
    ['DynamoDB', openTable],
  ]
}
