import { documented } from '../../proof/formats/page.ts'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import { tableStatus } from '../../../src/tools/operator/status/tableStatus.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'

const NOW = 1_800_000_000_000

/** Of `number` requests each tenth is parked, and each tenth of these is of mails. */
function token(at: number) {
  const pk = `lock#${at % 100 === 0 ? 'mails' : 'orders'}/${at}`
  const status = at % 10 === 0 ? 'error' : 'inProgress'
  return {
    pk,
    sk: 'token',
    status,
    attemptId: 'a',
    attempt: 2,
    fence: 2,
    reason: 'exhausted',
    error: `Error: bank ${at}`,
    created: new Date(NOW - 60_000 + at).toISOString(),
    ...indexed(pk, status, NOW + at),
  }
}

it('what a look costs does not grow with the table, and what was not counted is said', async () => {
  const store = documented(memoryStore())
  await store.create(Array.from({ length: 20_000 }, (_, at) => token(at)))
  const asked = { queries: 0, keys: 0, items: 0 }
  const watched: Store = {
    ...store,
    due: async (query) => {
      const page = await store.due(query)
      asked.queries += 1
      asked.keys += page.kind === 'found' ? page.keys.length : 0
      return page
    },
    read: async (keys, options) => {
      asked.items += keys.length
      return store.read(keys, options)
    },
  }
  const { findings, retrying } = await tableStatus(watched, NOW)
  // 72 partitions of the index and the circuits; two statuses with 100 keys of each of 8 partitions; 50 items of each.
  expect(asked).toEqual({ queries: 73, keys: 1_600, items: 100 })
  const counted = findings.map(({ of, kind, number, atLeast, cause }) => [
    `${number}${atLeast ? ' or more' : ''} ${kind} of ${of}`,
    cause?.error,
  ])
  // What was not read is counted without a cause.
  expect(counted).toEqual([
    ['25 or more stopped of mails', 'Error: bank <n>'],
    ['57 or more stopped of mails', undefined],
    ['25 or more stopped of orders', 'Error: bank <n>'],
    ['693 or more stopped of orders', undefined],
    ['800 or more retrying of orders', 'Error: bank <n>'],
  ])
  expect(retrying).toEqual([{ error: 'Error: bank <n>', number: 50 }])
})

it('says that consumers may be missing, where one has more than is counted', async () => {
  const store = documented(memoryStore())
  await store.create(Array.from({ length: 2_000 }, (_, at) => token(at * 10 + 10)))
  const late = 'lock#parcels/1'
  await store.create([{ ...token(0), pk: late, ...indexed(late, 'error', NOW + 1e6) }])
  const { counts, unread } = await tableStatus(store, NOW)
  expect(counts.map(({ of }) => of)).not.toContain('parcels')
  expect(unread).toEqual([expect.stringMatching(/^all that is error: further consumers/)])
  expect((await tableStatus(documented(memoryStore()), NOW)).unread).toEqual([])
})
