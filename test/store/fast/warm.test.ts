import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { expect, it, vi } from 'vitest'
import { dynamoDbStore } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { items, openStore } from './openStore.ts'
import { operationOf, textOf } from './recordingHandler.ts'

it('a warm store has read one key before its first batch, without the SDK', async () => {
  const { store, requests, ways } = openStore(undefined, { warm: true })
  await vi.waitFor(() => expect(requests).toHaveLength(1))
  const [first] = requests
  expect(first && operationOf(first)).toBe('GetItem')
  expect(first && textOf(first)).not.toContain('ConsistentRead')
  await new Promise(setImmediate)
  expect(await store.create(items(1))).toEqual([{ kind: 'applied', item: items(1)[0] }])
  expect(ways()).toEqual(['fast', 'fast'])
})

it('a template can ask for it by a variable, and code has the last word', async () => {
  vi.stubEnv('LINECLEAR_WARM', 'true')
  const [warm, cold] = [openStore(), openStore(undefined, { warm: false })]
  vi.unstubAllEnvs()
  await vi.waitFor(() => expect(warm.requests).toHaveLength(1))
  expect(cold.requests).toEqual([])
})

it('a store is cold unless that is asked for', async () => {
  const { requests } = openStore()
  await new Promise(setImmediate)
  expect(requests).toEqual([])
})

it.each([
  ['denied', () => ({ status: 400, body: '{"__type":"AccessDeniedException"}' })],
  [
    'lost',
    () => {
      throw new Error('no network')
    },
  ],
])('the first batch of a warm store is right when the read was %s', async (_, reply) => {
  const { store, requests } = openStore((__, nth) => (nth === 0 ? reply() : undefined), {
    warm: true,
    config: { maxAttempts: 1 },
  })
  await vi.waitFor(() => expect(requests).not.toEqual([]))
  expect(await store.create(items(3))).toEqual(items(3).map((item) => ({ kind: 'applied', item })))
})

it('the first batch need not wait for the read', async () => {
  const { store, ways } = openStore(undefined, { warm: true })
  expect(await store.create(items(1))).toEqual([{ kind: 'applied', item: items(1)[0] }])
  expect(ways()).toEqual(['fast', 'fast'])
})

it('a warm store without credentials or Region can be made', () => {
  const client = new DynamoDBClient({
    region: () => Promise.reject<string>(new Error('no Region')),
    credentials: () => Promise.reject(new Error('no credentials')),
  })
  expect(() => dynamoDbStore({ tableName: 'lineclear', client, warm: true })).not.toThrow()
})
