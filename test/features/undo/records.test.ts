import { producer } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { memoryPayloads } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, receive, startFlowCloud } from '../../flow/flowHarness.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { orderRecords } from './recordHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')

async function dead(behaviour: Parameters<typeof orderRecords>[1] = {}) {
  const records = orderRecords(cloud, behaviour)
  await records.place('r1', 'pear')
  await records.run()
  return { ...records, letter: await records.deadLetter() }
}

describe('a dead record', () => {
  it('keeps its effects and its payload, and can be redriven', ALONE, async () => {
    const { harness, token, item, letter, broken, redrive, run, undone } = await dead()
    expect(token()).toMatchObject({ status: 'error', death: 1, undoable: 1 })
    expect(item('lock#orders/r1', 'input')).toMatchObject({
      body: '{"key":"r1","sku":"pear"}',
      death: 1,
    })
    broken.is = false
    await redrive(letter)
    await run()
    expect(token()).not.toHaveProperty('status')
    expect([harness.count('pear'), harness.count('done')]).toEqual([1, 1])
    expect(undone).toEqual([])
  })

  it('is undone when an operator asks for it, in the reverse order, once each', ALONE, async () => {
    const { harness, token, plan, apply, settle, undone, item, redrive, letter, broken, run } =
      await dead()
    const shown = await plan()
    expect(shown).toMatchObject({ kind: 'change', action: 'decide undo' })
    expect(await apply(shown)).toEqual({ kind: 'applied' })
    expect(token()).toMatchObject({ status: 'undoing', operatorDid: 'decide undo' })
    await settle()
    expect(undone).toMatchObject([
      { name: 'charge', state: 'yes', answer: 'receipt of pear', uniqueRequestId: 'r1' },
      { name: 'reserve', state: 'yes', uniqueRequestId: 'r1' },
    ])
    expect([harness.count('pear'), harness.count('notes')]).toEqual([0, 1])
    expect(token()).toMatchObject({ status: 'undone' })
    expect(token()).not.toHaveProperty('statusShard')
    expect(item('lock#orders.undo/r1.undo1')).not.toHaveProperty('status')
    broken.is = false
    await redrive(letter)
    await run()
    expect(harness.settled.at(-1)).toEqual({ kind: 'undone' })
    expect(harness.count('done')).toBe(0)
    expect(await plan()).toMatchObject({ kind: 'nothing', because: 'its effects are undone' })
  })

  it('is undone by itself with undoDead; its dead letter is a report', ALONE, async () => {
    const { harness, token, later, names, letter, redrive } = await dead({ undoDead: true })
    expect(token()).toMatchObject({ status: 'undoing' })
    await redrive(letter)
    await later()
    expect(names()).toEqual(['charge', 'reserve'])
    expect(harness.count('pear')).toBe(0)
    expect(token()).toMatchObject({ status: 'undone' })
  })

  it('is redriven or undone, never both: the plan of the other is refused', ALONE, async () => {
    const { plan, apply, broken, redrive, letter, run, harness, undone } = await dead()
    const shown = await plan()
    broken.is = false
    await redrive(letter)
    await run()
    expect(await apply(shown)).toEqual({ kind: 'refused', because: 'outdated' })
    await run()
    expect([harness.count('pear'), undone]).toEqual([1, []])
  })
})

describe('what is kept of a dead record', () => {
  const input = (records: ReturnType<typeof orderRecords>) =>
    records.item('lock#orders/r1', 'input')

  it.each([
    ['has expired', (now: number) => ({ ttl: Math.floor(now / 1_000) - 1 })],
    [
      'is kept for an undo that may still go on',
      (now: number) => ({ keptUntil: now - 1, ttl: Math.floor(now / 1_000) + 60 }),
    ],
  ])(
    'replaces what an earlier request of the same id has left, and that %s',
    ALONE,
    async (_what, times) => {
      const records = orderRecords(cloud)
      const { store, clock } = records.harness
      const key = { pk: 'lock#orders/r1', sk: 'input' }
      const left = { ...key, death: 2, body: 'old', queue: 'q', sentAt: 0, inSql: false }
      await store.create([{ ...left, ...times(clock.now()) }])
      await records.place('r1', 'pear')
      await records.run()
      expect(input(records)).toMatchObject({ death: 1, body: '{"key":"r1","sku":"pear"}' })
    },
  )

  it('stays that of the latest death, whichever is written last', ALONE, async () => {
    const records = orderRecords(cloud)
    const { store, clock } = records.harness
    const left = { pk: 'lock#orders/r1', sk: 'input', death: 2, body: 'new', queue: 'q', sentAt: 0 }
    await store.create([{ ...left, inSql: false, ttl: Math.floor(clock.now() / 1_000) + 60 }])
    await records.place('r1', 'pear')
    await records.run()
    expect(input(records)).toMatchObject({ death: 2, body: 'new' })
  })

  it(
    'is nothing where the payload is too large for the table: no handler has run',
    ALONE,
    async () => {
      const sql = { raise: async () => {}, made: async () => new Map(), open: () => NO_CALLS }
      const records = orderRecords(cloud, { undoDead: true, options: { sql } })
      await records.place('r1', 'x'.repeat(400_000))
      await records.run()
      expect(records.token()).toMatchObject({ status: 'error', reason: 'terminal' })
      expect(input(records)).toBeUndefined()
    },
  )

  it(
    'is nothing where the payload is gone from its bucket: it is redriven once it is back',
    ALONE,
    async () => {
      const payloads = memoryPayloads()
      const records = orderRecords(cloud, {
        undoDead: true,
        options: { payloads },
        after: () => {
          throw new Error('not yet')
        },
      })
      const sender = producer({ clients: { sqs: cloud.sqs }, payloads })
      const sku = 'x'.repeat(2_000)
      const large = { key: 'r1', sku }
      await sender.send(cloud.queueUrl('book'), large, { uniqueRequestId: 'r1', maxBytes: 1_000 })
      await records.run()
      payloads.objects.clear()
      await records.settle()
      expect(records.token()).toMatchObject({ status: 'error', reason: 'rejected' })
      expect(input(records)).toBeUndefined()
      expect(records.harness.count(sku)).toBe(1)
    },
  )
})

const NO_CALLS = { sql: async () => Promise.reject(new Error('called')), assertOutside: () => {} }

describe('the message of an undo', () => {
  it('is dropped where nothing is to be undone: anyone may forge it', ALONE, async () => {
    const { plan, forge, run, harness, undone, token } = await dead()
    const shown = await plan()
    if (shown.kind !== 'change' || shown.effect.kind !== 'send') throw new Error('no message')
    const { message } = shown.effect
    await forge(message)
    await run()
    expect(harness.settled.at(-1)).toEqual({ kind: 'stale' })
    expect([undone, token()?.['status']]).toEqual([[], 'error'])
  })

  it('waits while its record is still being dead-lettered', ALONE, async () => {
    const { plan, forge, run, harness, token } = await dead()
    const shown = await plan()
    if (shown.kind !== 'change' || shown.effect.kind !== 'send') throw new Error('no message')
    await harness.store.update([
      { key: { pk: 'lock#orders/r1', sk: 'token' }, where: [], set: { status: 'dying' } },
    ])
    await forge(shown.effect.message)
    await run()
    expect(harness.settled.at(-1)).toMatchObject({ kind: 'deferred' })
    expect(token()).toMatchObject({ status: 'dying' })
  })

  it(
    'is dead-lettered by a consumer without the option, and runs once it has it',
    ALONE,
    async () => {
      const { plan, apply, without, settle, redrive, deadLetter, names } = await dead()
      await apply(await plan())
      await deliver(cloud, 'book', without)
      const letter = await deadLetter()
      expect(letter.messageAttributes['lineclear']?.stringValue).toContain('wrong consumer')
      expect(letter.messageAttributes['lineclear']?.stringValue).toContain(
        'For .undo: the option undo',
      )
      expect(await receive(cloud, 'book')).toEqual([])
      await redrive(letter)
      await settle()
      expect(names()).toEqual(['charge', 'reserve'])
    },
  )

  it(
    'is dead-lettered after its last attempt, and goes on when it is redriven',
    ALONE,
    async () => {
      let fails = true
      const { plan, apply, harness, settle, deadLetter, redrive, names, item } = await dead({
        before: ({ name }) => {
          if (fails && name === 'reserve') throw new Error('not yet')
        },
      })
      await apply(await plan())
      await settle()
      const letter = await deadLetter()
      expect(names()).toEqual(['charge', 'charge'])
      expect(item('lock#orders.undo/r1.undo1')).toMatchObject({ status: 'error' })
      expect(item('lock#orders.undo/r1.undo1', 'input')).toBeUndefined()
      expect(await planOfUndo()).toMatchObject({ kind: 'impossible' })
      fails = false
      await redrive(letter)
      await settle()
      expect(harness.count('pear')).toBe(0)

      function planOfUndo() {
        return plan('orders.undo/r1.undo1')
      }
    },
  )
})
