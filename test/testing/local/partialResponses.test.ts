import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readFailures } from '../../../src/testing/queues/deliverNext.ts'
import { quietMapping, sendMany, until } from './helpers.ts'

const BATCH = ['a', 'b', 'c'] as const
const MANY_FAILURES = { batchItemFailures: BATCH.map((itemIdentifier) => ({ itemIdentifier })) }

/** The response of a handler to the batch a, b, c, and which of them stay. */
const ROWS: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['undefined', undefined, []],
  ['null', null, []],
  ['an empty object', {}, []],
  ['a null list', { batchItemFailures: null }, []],
  ['an empty list', { batchItemFailures: [] }, []],
  ['a string', 'done', []],
  ['a number', 7, []],
  ['a wrong key at the top', { batchItemsFailures: [{ itemIdentifier: 'a' }] }, []],
  ['one id', { batchItemFailures: [{ itemIdentifier: 'b' }] }, ['b']],
  [
    'one id twice',
    { batchItemFailures: [{ itemIdentifier: 'b' }, { itemIdentifier: 'b' }] },
    ['b'],
  ],
  ['all ids', MANY_FAILURES, BATCH],
  ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }, BATCH],
  ['a null id', { batchItemFailures: [{ itemIdentifier: null }] }, BATCH],
  ['a number as id', { batchItemFailures: [{ itemIdentifier: 1 }] }, BATCH],
  ['a wrong key in an item', { batchItemFailures: [{ messageId: 'a' }] }, BATCH],
  ['an item that is no object', { batchItemFailures: ['a'] }, BATCH],
  ['an unknown id', { batchItemFailures: [{ itemIdentifier: 'z' }] }, BATCH],
  [
    'a valid and an unknown id',
    { batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'z' }] },
    BATCH,
  ],
  ['a list that is no list', { batchItemFailures: { itemIdentifier: 'a' } }, BATCH],
]

it.each(ROWS)('%s is read as Lambda reads it', (_, answer, stay) => {
  const failures = readFailures(answer, BATCH)
  expect(BATCH.filter((id) => failures.has(id))).toEqual(stay)
})

/** Rows that use a queue: whether each of three messages is deleted or kept. */
type Answer = (ids: readonly string[]) => unknown
const THROUGH_A_QUEUE: readonly (readonly [string, Answer, number])[] = [
  ['nothing', () => undefined, 3],
  ['one-id', ([id]) => ({ batchItemFailures: [{ itemIdentifier: id }] }), 2],
  ['unknown', () => ({ batchItemFailures: [{ itemIdentifier: 'z' }] }), 0],
  ['empty-id', () => ({ batchItemFailures: [{ itemIdentifier: '' }] }), 0],
  [
    'exception',
    () => {
      throw new Error('no')
    },
    0,
  ],
  ['rejection', () => Promise.reject(new Error('no')), 0],
  ['not-json', () => 1n, 0],
]
let cloud: LocalCloud
beforeAll(async () => {
  const names = [...THROUGH_A_QUEUE.map(([name]) => name), 'not-partial']
  cloud = await startLocalCloud({ queues: Object.fromEntries(names.map((name) => [name, {}])) })
})
afterAll(() => cloud.stop())

it.each(THROUGH_A_QUEUE)(
  'after %s the right messages are deleted',
  async (queue, answer, deleted) => {
    const ids = await sendMany(cloud, queue, 3)
    let batches = 0
    const mapping = quietMapping({
      cloud,
      queue,
      handler: async () => answer(ids),
      observe: ({ type }) => (batches += type === 'ended' ? 1 : 0),
    })
    await until(() => batches === 1)
    expect(cloud.inspectQueue(queue).inFlight).toHaveLength(3 - deleted)
    expect(mapping.counts).toMatchObject({ invocations: 1, deliveries: 3, deleted })
  },
)

it('without partial responses the answer is ignored', async () => {
  const [id] = await sendMany(cloud, 'not-partial', 3)
  const mapping = quietMapping({
    cloud,
    queue: 'not-partial',
    reportBatchItemFailures: false,
    handler: async () => ({ batchItemFailures: [{ itemIdentifier: id }] }),
  })
  await mapping.drained({ timeout: '10m' })
  expect(mapping.counts.deleted).toBe(3)
})
