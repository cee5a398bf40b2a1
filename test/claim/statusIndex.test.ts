import { expect, it } from 'vitest'
import { indexed, shardsOf } from '../../src/library/protocol/claim/statusIndex.ts'
import { TASK_STATUSES } from '../../src/library/entries/sweeper/due/listDue.ts'

const KEYS = Array.from({ length: 1_000 }, (_, nth) => `lock#orders/${nth}`)

it.each(TASK_STATUSES)('lists %s under the shards that writers use, and no others', (status) => {
  const written = new Set(KEYS.map((pk) => indexed(pk, status, 1).statusShard))
  expect([...written].toSorted()).toEqual(shardsOf(status))
})

it('keeps the shard of a key for all its statuses and for ever: items in the table carry it', () => {
  expect(indexed('lock#orders/r-1', 'inProgress', 5)).toEqual({
    statusShard: 'inProgress#6',
    dueAt: 5,
  })
  expect(indexed('lock#orders/r-1', 'error', 5).statusShard).toBe('error#6')
})
