import { documented } from '../../proof/formats/page.ts'
import { expect, it } from 'vitest'
import {
  closeDelayed,
  type Delayed,
  postponeDelayed,
  readDelayed,
  writeDelayed,
} from '../../../src/library/protocol/claim/delayed/delayedRow.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'

const HOUR = 3_600_000

/** A row that two sweepers have read. */
async function read() {
  const store = documented(memoryStore())
  const queue = 'https://sqs.eu-west-1.amazonaws.com/123456789012/reminders'
  const message = { body: '{}', attributes: {} }
  const content = { id: 'm1', queue, message, due: HOUR, now: 0, by: 'orders', keepFor: HOUR }
  const row = writeDelayed({ ...content, uniqueRequestId: 'r1', run: undefined })
  await store.create([row])
  return { store, row: readDelayed(row) as Delayed }
}

it('a message that one sweeper has voided is not closed as sent by another one', async () => {
  const { store, row } = await read()
  const outcomes = await store.update([
    closeDelayed(row, 'void', HOUR),
    closeDelayed(row, 'sent', HOUR),
  ])
  expect(outcomes.map(({ kind }) => kind)).toEqual(['applied', 'refused'])
  expect(store.items()[0]).toMatchObject({ st: 'void' })
})

it('a message that was put off or closed meanwhile is not put off', async () => {
  const { store, row } = await read()
  const late = await store.update([postponeDelayed(row, 2 * HOUR), postponeDelayed(row, 3 * HOUR)])
  expect(late.map(({ kind }) => kind)).toEqual(['applied', 'refused'])
  await store.update([closeDelayed(row, 'sent', HOUR)])
  const [closed] = await store.update([postponeDelayed({ ...row, dueAt: 2 * HOUR }, 3 * HOUR)])
  expect(closed?.kind).toBe('refused')
})
