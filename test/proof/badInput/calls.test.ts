import { idempotent } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import { hashParts } from '../../../src/library/entries/call/canonical.ts'
import { tokenPk } from '../../../src/library/entries/call/readKey.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { restEvent } from '../../call/httpEvents.ts'
import { type CallRow, CALLS } from './callRows.ts'
import { clock } from './consumerHarness.ts'

const NAME = 'calls'
const PK = tokenPk(NAME, undefined, hashParts(['a'])) ?? ''
const good = (n: number) => ({ headers: { 'Idempotency-Key': `good-${n}` }, body: { n } })

describe.each(Object.entries(CALLS))('%s', (_group, rows) => {
  it.each(rows)('$what: alone', async (row) => {
    expect(await play(row, [])).toEqual([])
  })
  it.each(rows)('$what: among good ones', async (row) => {
    expect(await play(row, [1, 2, 3])).toEqual([])
  })
})

/** @returns what has got into the prototype of all objects. */
async function play(row: CallRow, numbers: readonly number[]): Promise<readonly string[]> {
  const store = memoryStore()
  await store.create((row.items ?? []).map((item): Item & StoreKey => ({ ...item, pk: PK })))
  const ran: unknown[] = []
  const tenant = 'none' as const
  const options = { store, name: NAME, tenant, logger: quietLogger(), clock, waitForOther: 0 }
  const run = (event: unknown): unknown => {
    ran.push(event)
    return { statusCode: 201, body: '{}' }
  }
  const handler = idempotent({ ...options, ...row.options }, run)
  const others = idempotent(options, run)
  const events = numbers.map((n) => restEvent(good(n)))
  const [bad, ...answers] = await Promise.all([
    outcomeOf(handler(row.event)),
    ...events.map((event) => others(event)),
  ])
  expect(answers).toEqual(events.map(() => ({ statusCode: 201, body: '{}' })))
  expect(ran.filter((event) => event !== row.event)).toHaveLength(events.length)
  expect(ran.filter((event) => event === row.event)).toHaveLength(row.end === 'runs' ? 1 : 0)
  expect(bad).toMatchObject({ end: row.end === 'runs' ? 201 : row.end })
  expect(bad?.text).toContain(row.text ?? '')
  expect(await outcomeOf(handler(row.event)).then(({ end }) => end)).toBe(againOf(row))
  return Object.keys(Object.prototype)
}

/** The second time nothing is run again: the answer is that of the first call. */
function againOf({ end }: CallRow): unknown {
  return end === 'runs' ? 201 : end
}

async function outcomeOf(answer: Promise<unknown>): Promise<{ end: unknown; text: string }> {
  try {
    const given = (await answer) as { statusCode: number }
    return { end: given.statusCode, text: JSON.stringify(given) }
  } catch (error) {
    return { end: 'throws', text: String(error) }
  }
}
