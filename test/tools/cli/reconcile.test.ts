import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Course, makeRequests } from '../operator/reconcile/requests.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
let place: string
beforeAll(async () => {
  cloud = await startCloud()
  place = await mkdtemp(join(tmpdir(), 'lineclear-reconcile-'))
})
afterAll(async () => {
  await rm(place, { recursive: true })
  await cloud.stop()
})

async function opened(courses: readonly (readonly [string, Course])[]) {
  const harness = await operatorHarness(cloud)
  const now = harness.clock.now()
  await makeRequests(harness.store, new Map(courses), now)
  const at = new Date(now).toISOString()
  return { ...harness, at, run: harness.cli.bind(undefined, 'reconcile', '--consumer', 'orders') }
}

async function file(name: string, text: string): Promise<string> {
  const path = join(place, name)
  await writeFile(path, text)
  return path
}

const lines = (...rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')

describe('a ledger in JSON lines', () => {
  it('lists what is wrong by id, the worst first, and says what was not checked', async () => {
    const { run, at } = await opened([
      ['r1', 'completed'],
      ['r2, "x"', 'completed'],
      ['r3', 'completed'],
      ['r4', 'dead'],
      ['r5', 'claimed'],
    ])
    const rows = ['r1', 'r1', 'r2, "x"', 'r4', 'stray'].map((id) => ({ id, at, euros: 5 }))
    const ledger = await file('books.jsonl', lines(...rows))
    const { code, out } = await run('--ledger', ledger, '--effect', 'book', '--until', '0s')
    expect(out.split('\n')).toEqual([
      '1 double, 1 lost, 1 unmarked, 1 foreign; 1 checked without a finding',
      'double    orders/r1  counted 2, expected 1; completed',
      'lost      orders/r3  counted 0, expected 1; completed',
      'unmarked  orders/r4  counted 1, expected 0; dead',
      'foreign   stray  counted 1, expected 0; no request in the table',
      'still open: 1',
      expect.stringMatching(
        /^5 requests in the table, 5 rows in the ledger; 5 items looked at, [\d.]+ read units$/,
      ),
    ])
    expect(code).toBe(1)
  })

  it('from standard input; balanced', async () => {
    const { piped } = await opened([['r1', 'completed']])
    const args = ['reconcile', '--consumer', 'orders', '--ledger', '-', '--until', '0s']
    const { code, out } = await piped(['{"id":"r', '1"}\r\n\n'], ...args)
    expect(out).toContain('Balanced: 1 checked, each has the effects that it should have.')
    expect(code).toBe(0)
  })

  it('as JSON for scripts', async () => {
    const { run } = await opened([['r1', 'completed']])
    const ledger = await file('two.jsonl', lines({ id: 'r1', count: 2 }))
    const { code, out } = await run('--ledger', ledger, '--until', '0s', '--json')
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'anomalies',
      anomalies: [{ kind: 'double', id: 'r1', request: 'orders/r1', count: 2, state: 'completed' }],
      counts: { double: 1, lost: 0 },
    })
    expect(code).toBe(1)
  })

  it('no request: no balance', async () => {
    const { run } = await opened([])
    const ledger = await file('old.jsonl', lines({ id: 'r1' }))
    const { code, out } = await run('--ledger', ledger, '--until', '1d')
    expect(out).toContain('Nothing could be checked: this is no balance.\nnot checked: 1 in the')
    expect(code).toBe(4)
  })

  it.each([
    ['ordes', 'consumer'],
    ['Orders', 'flow'],
  ])(
    '%s, a name that the table does not know, is told in place of all rows',
    async (name, kind) => {
      const { cli, at } = await opened([['r1', 'completed']])
      const ledger = await file('rows.jsonl', lines({ id: 'r1', at }, { id: 'r2', at }))
      const args = ['--ledger', ledger, '--until', '0s', '--lifetime', '0s', '--since', '1d']
      const { code, out } = await cli('reconcile', `--${kind}`, name, ...args)
      expect(out.split('\n')[0]).toBe(
        `The table has no request of ${kind} ${name}: is that its name?`,
      )
      expect(out).not.toContain('no request in the table')
      expect(code).not.toBe(0)
    },
  )

  it.each([
    ['csv.jsonl', 'id\n1\n', 'line 1: expected JSON, such as {"id": "order-17"}'],
    ['cut.jsonl', '{"id":"1"}\n{"id":', 'line 2: expected JSON'],
    ['noId.jsonl', '{"id":"1"}\n{"no":2}\n', 'ledger: row 2: id: expected a text'],
    ['list.jsonl', '[1]\n', 'ledger: row 1: expected an object such as { id }'],
  ])('%s is refused', async (name, text, wrong) => {
    const { run } = await opened([['r1', 'completed']])
    const { code, out, err } = await run('--ledger', await file(name, text), '--until', '1m')
    expect(err).toContain(wrong)
    expect(out).toBe('')
    expect(code).toBe(2)
  })

  it('a time without a zone is refused', async () => {
    const { run } = await opened([['r1', 'completed']])
    const args = ['--until', '0s', '--ledger']
    const local = await file('local.jsonl', lines({ id: 'r1', at: '2026-01-31 12:00:00' }))
    expect(await run(...args, local)).toMatchObject({ code: 2 })
    const zoned = await file('zoned.jsonl', lines({ id: 'r1', at: '2026-01-31T12:00:00.5+00:00' }))
    expect(await run(...args, zoned)).toMatchObject({ code: 0 })
  })
})

describe('a ledger in a module', () => {
  it('its default export gives the rows, and it may say what to expect', async () => {
    const { run } = await opened([
      ['r1', 'completed'],
      ['none', 'completed'],
    ])
    const text = `
      export const expect = (id: string): number => (id === 'none' ? 0 : 1)
      export default async function* ({ since }: { since?: Date }) {
        if (since === undefined) yield { id: 'r1' }
      }`
    const ledger = await file('ledger.ts', text)
    expect(await run('--ledger', ledger)).toMatchObject({ code: 0 })
    const { code, out } = await run('--ledger', ledger, '--expect', '1')
    expect(out).toContain('lost      orders/none')
    expect(code).toBe(1)
    expect(await run('--ledger', ledger, '--since', '1h')).toMatchObject({ code: 1 })
  })

  it('that throws half-way: says so, and nothing is balanced', async () => {
    const { run } = await opened([['r1', 'completed']])
    const ledger = await file(
      'throws.mjs',
      `export default function* () { yield { id: 'r1' }; throw new Error('no route to host') }`,
    )
    const { code, out, err } = await run('--ledger', ledger)
    expect(err).toBe(
      'lineclear: The ledger failed after 1 row: Error: no route to host. Nothing was compared.',
    )
    expect(out).toBe('')
    expect(code).toBe(3)
  })

  it.each([
    ['none.mjs', 'export const rows = []', 'expected a default export in'],
    ['list.mjs', 'export default []', 'got an empty list'],
    ['broken.mjs', 'export default {', 'expected a module that can be loaded; '],
    ['loads.mjs', `throw new Error('no PGHOST')`, 'can be loaded; Error: no PGHOST'],
    ['rows.mjs', 'export default () => 5', 'it returned a number'],
  ])('%s is refused', async (name, text, wrong) => {
    const { run } = await opened([])
    const { code, err } = await run('--ledger', await file(name, text))
    expect(err).toContain(wrong)
    expect(code).toBe(2)
  })
})

it.each([
  [['--consumer', 'orders'], 'expected --ledger FILE, got none'],
  [['--ledger', 'x.jsonl'], '--until: expected the time at which the export of the file began'],
  [
    ['--consumer', 'orders', '--ledger', '/no.jsonl', '--until', '1m'],
    'expected a file that can be',
  ],
  [['--ledger', '-', '--until', '1m'], 'expected consumer or flow; got neither'],
  [['--ledger', '-', '--until', 'soon'], '--until: expected how long ago'],
  [['--ledger', '-', '--until', '2026-01-31T12:00'], '--until: expected how long ago'],
  [['--ledger', '-', '--until', '1m', '--expect', '2-1'], '--expect: expected a number or a range'],
  [['--ledger', 'a.ts'], 'expected a module that can be loaded; '],
  [['--ledger', '-', '--most', '0'], '--most: expected a whole number from 1'],
])('arguments %j', async (args, wrong) => {
  const { cli } = await operatorHarness(cloud)
  const { code, err } = await cli('reconcile', ...args)
  expect(err).toContain(wrong)
  expect(code).toBe(2)
})
