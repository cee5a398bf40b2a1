import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordHandler, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { deliver, emptyAll } from '../../flow/flowHarness.ts'
import { counting } from '../../flow/trip.ts'
import { hide, receive, send, sendDeadLetter, text } from '../operator/dlqHarness.ts'
import { countOf } from './counts.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
let folder: string
beforeAll(async () => {
  cloud = await startCloud()
  folder = await mkdtemp(join(tmpdir(), 'lineclear-edit-'))
})
afterEach(() => emptyAll(cloud))
afterAll(async () => {
  await rm(folder, { recursive: true })
  await cloud.stop()
})

const SCHEMA = `
export const order = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof value.total === 'number' ? { value } : { issues: [{ message: 'a number', path: ['total'] }] },
  },
}
`

/** A consumer that dies of any total that is not positive, after an effect. */
async function shop() {
  const harness = await operatorHarness(cloud)
  const paid: unknown[] = []
  const handler = recordHandler(
    { name: 'orders', ...harness.options, schema: z.object({ total: z.number() }) },
    async ({ total }, ctx) => {
      await ctx.write('seen', counting(harness.tableName))
      if (total <= 0) throw new TerminalError('a negative total')
      paid.push([ctx.uniqueRequestId, total])
    },
  )
  const attributes = { uniquerequestid: text('r1') }
  return {
    ...harness,
    paid,
    put: (total: unknown) => send(cloud, 'book', { total }, { attributes }),
    work: () => deliver(cloud, 'book', handler),
    redrive: () => harness.apply('dlq', 'redrive', 'dead', '--to', 'book', '--no-ramp'),
  }
}

it('a payload that its handler refuses is corrected, and runs once under its identity', async () => {
  const { cli, apply, put, work, redrive, paid, tableName } = await shop()
  await put(-5)
  await work()
  const edit = ['dlq', 'edit', 'dead', '--id', 'r1', '--set', 'total=5'] as const
  const plan = await cli(...edit)
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.out).toMatch(/^dlq edit dead r1\n {2}now: {2}terminal: .*\n {2}then: total: -5 → 5\n/)
  expect(plan.out).toContain('made with the old payload, and not repeated: seen')
  expect(await cli(...edit, '--apply')).toMatchObject({ code: 1 })
  expect(await cli(...edit, '--apply', '0badc0de')).toMatchObject({ code: 1 })
  expect(await apply(...edit)).toMatchObject({ code: 0, out: expect.stringContaining('Done') })
  expect(await cli(...edit)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nothing to do'),
  })
  await redrive()
  await work()
  expect(paid).toEqual([['r1', 5]])
  expect(await countOf(cloud, tableName)).toBe(1)
  const { out } = await cli('explain', '--history', '--action', 'dlq edit')
  expect(out).toMatch(/dlq edit +dead r1 +[\da-f]{8} +applied/)
  for (const id of ['dead', 'r1', 'dead r1', 'orders/r1']) {
    expect((await cli('explain', '--history', id)).out).toContain('dlq edit')
  }
  expect((await cli('explain', 'orders/r1')).out).toMatch(/by an operator, .*: dlq edit dead r1/)
  expect((await cli('explain', '--history', 'r')).out).toMatch(/^No change names /)
  const { out: json } = await cli('explain', '--history', '--json')
  expect(json).toContain('--set total=…')
  expect(json).not.toContain('total=5')
})

it('one that a killed command holds is not lost: it can be typed again in a minute', async () => {
  const { cli, put, work } = await shop()
  await put(-5)
  await work()
  const [held] = await receive(cloud, 'dead')
  if (held === undefined) throw new Error('nothing has died')
  const edit = ['dlq', 'edit', 'dead', '--id', 'r1', '--set', 'total=5'] as const
  expect(await cli(...edit)).toMatchObject({
    code: 1,
    out: expect.stringContaining('a command that was killed, holds some of them'),
  })
  await hide(cloud, 'dead', held)
  expect(await cli(...edit)).toMatchObject({ code: 0 })
})

it('what a sender writes is refused as before: another payload, and the old one', async () => {
  const { apply, put, work, redrive, paid } = await shop()
  await put(-5)
  await work()
  const [forged] = await receive(cloud, 'dead')
  if (forged === undefined) throw new Error('nothing has died')
  await hide(cloud, 'dead', forged)
  const lineclear = forged.messageAttributes['lineclear']?.stringValue ?? ''
  const attributes = { uniquerequestid: text('r1'), lineclear: text(lineclear) }
  const sendDead = (total: number) => send(cloud, 'dead', { total }, { attributes })
  await sendDead(-5)
  await apply('dlq', 'edit', 'dead', '--id', 'r1', '--set', 'total=5')
  await sendDead(7)
  await sendDead(-5)
  // One redrive sends one dead letter of a request.
  for (let times = 0; times < 4; times++) {
    await redrive()
    await work()
  }
  expect(paid).toEqual([['r1', 5]])
  const died = await receive(cloud, 'dead')
  for (const record of died) await hide(cloud, 'dead', record)
  const reasons = died.map(
    ({ messageAttributes }) =>
      (JSON.parse(messageAttributes['lineclear']?.stringValue ?? '') as { reason: string }).reason,
  )
  expect(new Set(reasons)).toEqual(new Set(['conflict']))
})

it('a payload that the schema refused goes through a file and the schema', async () => {
  const { cli, apply, put, work, redrive, paid } = await shop()
  await put('5')
  await work()
  const [file, schema] = [join(folder, 'payload.json'), join(folder, 'schema.mjs')]
  await writeFile(schema, SCHEMA)
  const edit = ['dlq', 'edit', 'dead', '--id', 'r1'] as const
  expect(await cli(...edit, '--to-file', file)).toMatchObject({ code: 0 })
  expect(await cli(...edit, '--to-file', file)).toMatchObject({ code: 2 })
  expect(await readFile(file, 'utf8')).toBe('{"total":"5"}')
  await writeFile(file, '{"total":"six"}')
  const wrong = await cli(...edit, '--from-file', file, '--schema', `${schema}#order`)
  expect(wrong).toMatchObject({
    code: 1,
    out: expect.stringContaining('the schema refuses the payload: *: a number'),
  })
  await writeFile(file, '{"total":6}')
  const right = [...edit, '--from-file', file, '--schema', `${schema}#order`]
  const { out } = await cli(...right, '--json')
  await writeFile(file, '{"total":7}')
  const { plan } = JSON.parse(out) as { plan: string }
  expect(await cli(...right, '--apply', plan)).toMatchObject({ code: 1 })
  expect(await apply(...right)).toMatchObject({ code: 0 })
  await redrive()
  await work()
  expect(paid).toEqual([['r1', 7]])
})

it('one that had no id yet gets it from its payload: redrive and explain of the old id say so', async () => {
  const { cli, apply, piped, options } = await operatorHarness(cloud)
  const schema = z.object({ order: z.string() })
  const id = ({ order }: { order: string }) => order
  const handler = recordHandler({ name: 'orders', ...options, schema, id }, () => {})
  const messageId = await send(cloud, 'book', { order: 2 })
  await deliver(cloud, 'book', handler)
  const edit = ['dlq', 'edit', 'dead', '--id', messageId, '--set', 'order="order-2"'] as const
  expect((await apply(...edit)).out).toContain('Done')
  const sent = await apply('dlq', 'redrive', 'dead', '--id', messageId)
  expect(sent.out).toMatch(
    /\n1 of the first ones sent .* have run under another id, when .* option id/,
  )
  expect(sent.out).not.toContain('have not ended yet. To look')
  await deliver(cloud, 'book', handler)
  expect((await cli('explain', 'orders/order-2')).out).toContain('done')
  const line = { level: 'ERROR', message: 'dead-lettered', uniquerequestid: messageId }
  const { out } = await piped([JSON.stringify(line)], 'explain', messageId, '--log', '-')
  expect(out).toMatch(
    new RegExp(`its redrive: dlq redrive dead ${messageId}, plan \\w+, by ann: applied`),
  )
  expect(out).toContain('option id has given it another one')
  expect(out).not.toContain('next: lineclear dlq peek')
})

it('a payload that is not in the message, and a request that is done, are left alone', async () => {
  const { cli, store } = await shop()
  const payload = { sha256: 'a'.repeat(64), bytes: 2_000_000 }
  const body = `lineclear: the payload is at s3://mine/p/${payload.sha256} (2000000 bytes)`
  await sendDeadLetter(cloud, body, { id: 'r2', reason: 'terminal', payload })
  const edit = (id: string) => cli('dlq', 'edit', 'dead', '--id', id, '--set', 'total=1')
  expect(await edit('r2')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/Not possible: its payload is not in the message, but at s3:/),
  })
  await sendDeadLetter(
    cloud,
    { total: 0 },
    {
      id: 'r3',
      reason: 'terminal',
      consumer: 'orders',
    },
  )
  await store.create([{ pk: 'lock#orders/r3', sk: 'token', attemptId: 'a', attempt: 1, fence: 1 }])
  expect(await edit('r3')).toMatchObject({ code: 1, out: expect.stringContaining('is done') })
  expect(await edit('r9')).toMatchObject({ code: 4 })
})

it.each([
  [['--id', 'r1'], 'expected one of --to-file FILE, --from-file FILE, --set PATH=JSON'],
  [['--set', 'a=1'], 'expected --id ID'],
  [['--id', 'r1', '--set', 'a'], '--set: expected PATH=JSON'],
  [['--id', 'r1', '--set', 'a={'], '--set: expected JSON'],
  [['--id', 'r1', '--from-file', '/no/such'], '--from-file: Error: ENOENT'],
  [['--id', 'r1', '--set', 'a=1', '--schema', '/no/such.js'], '--schema: expected a module'],
])('edit dead %j: usage', async (args, said) => {
  const { cli } = await operatorHarness(cloud)
  expect(await cli('dlq', 'edit', 'dead', ...args)).toMatchObject({
    code: 2,
    err: expect.stringContaining(said),
  })
})
