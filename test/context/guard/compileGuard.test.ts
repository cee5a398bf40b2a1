import { describe, expect, it } from 'vitest'
import { TerminalError } from '../../../src/library/base/errors.ts'
import { compileWrite, whyRefused } from '../../../src/library/run/context/guard/compileGuard.ts'
import { newerThan, unchanged } from '../../../src/library/run/context/guard/guard.ts'
import { readChangeWrite } from '../../../src/library/run/context/guard/readChangeWrite.ts'
import { checkWrites } from '../../../src/library/run/context/guard/checkWrite.ts'
import type { Write, Written } from '../../../src/library/run/context/guard/write.ts'

const NOW = 1_000_000
const requester = { uniqueRequestId: 'r1', now: NOW }
const target = { TableName: 'carts', Key: { id: 'c1' } }
const guard = unchanged('version', 3)
const where = [{ field: 'version', is: '=', value: 3 }]

function checked(write: Write) {
  const [only] = checkWrites('ctx.write', write)
  if (only === undefined) throw new Error('nothing to write')
  return only
}

describe('a write with its guard', () => {
  it.each<[string, Write, object]>([
    ['put', { ...target, put: { state: 'new' }, guard }, { put: { state: 'new' } }],
    ['delete', { ...target, delete: true, guard }, { delete: true }],
    ['update', { ...target, set: { state: 'new' }, guard }, { set: { state: 'new' } }],
    ['nothing but the check', { ...target, check: guard }, {}],
    ['add', { ...target, add: { count: 1 }, guard }, { set: {}, add: { count: 1 } }],
    ['remove', { ...target, remove: ['note'], guard }, { set: {}, remove: ['note'] }],
    [
      'missing parts',
      { ...target, set: { a: 1, b: undefined }, add: undefined, remove: undefined, guard },
      { set: { a: 1 } },
    ],
  ])('has nothing else in it: %s', (_, write, parts) => {
    expect(compileWrite(checked(write), requester)).toStrictEqual({ ...target, where, ...parts })
  })

  it('needs no guard', () => {
    expect(compileWrite(checked({ ...target, delete: true }), requester)).toStrictEqual({
      ...target,
      where: [],
      delete: true,
    })
  })

  it.each(['put', 'set'])('keeps on a %s what the next guard will judge by', (kind) => {
    const write = { ...target, [kind]: { state: 'new' }, guard: newerThan('at', 5) } as never
    expect(compileWrite(checked(write), requester)).toMatchObject({
      [kind]: { state: 'new', at: 5, at_uniquerequestid: 'r1' },
    })
  })
})

describe('a refused write', () => {
  const write = checked({ ...target, delete: true, guard: [newerThan('at', 5), guard] })

  it.each([
    [{ at: 6, version: 3 }, 'stale'],
    [{ at: 4, version: 2 }, 'changed'],
    [{ at: 6, version: 2 }, 'stale'],
    [{ at: 4, version: 3 }, 'changed'],
  ])('reports which guard refused: %j', (item, reason) => {
    expect(whyRefused(write, requester, item).reason).toBe(reason)
  })

  it('is changed where no guard says why', () => {
    const unguarded = checked({ ...target, delete: true })
    expect(whyRefused(unguarded, requester, undefined).reason).toBe('changed')
  })
})

it('a time too far ahead is refused, and the error says what to check', () => {
  const at = NOW + 5 * 60_000 + 1
  const compile = (): unknown =>
    compileWrite(checked({ ...target, set: { a: 1 }, guard: newerThan('at', at) }), requester)
  expect(compile).toThrow(TerminalError)
  expect(compile).toThrow(
    /^newerThan\('at'\): the time 1300001 .*; the record is dead-lettered,.* clock\.$/,
  )
})

it('a writer that always loses the race reports how often it tried', async () => {
  const rivalWrote: Written = {
    applied: false,
    reason: 'changed',
    index: 0,
    table: 'carts',
    guard,
    item: { version: 2 },
  }
  const ctx = {
    get: async () => ({ version: 1 }),
    write: async () => rivalWrote,
  }
  const writing = readChangeWrite(ctx, 'count', { ...target, tries: 2 }, () => ({ count: 1 }))
  await expect(writing).rejects.toThrow(
    "readChangeWrite('count'): another writer of carts was first 2 times; the record is tried again later",
  )
})
