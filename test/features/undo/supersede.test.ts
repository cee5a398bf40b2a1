import { StoreUnavailableError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, receive, sendCopy, startFlowCloud } from '../../flow/flowHarness.ts'
import { awsMessenger } from '../../../src/send/awsMessenger.ts'
import { applyPlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../../tools/operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { itemKey } from '../../../src/sweeper/address.ts'
import { orderFlow } from './harness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')

describe('a request that is superseded after it has made effects', () => {
  it(
    'is undone, the last effect first: the last stage, then in the reverse of the declaration',
    ALONE,
    async () => {
      const { start, book, pay, settle, undone, harness, names } = orderFlow(cloud)
      await start('r1', 'pear')
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'pay', pay)
      await start('r2', 'fig', 1)
      await settle()
      expect(names()).toEqual(['charge', 'line:2', 'line:1', 'reserve'])
      expect(undone[0]).toMatchObject({
        state: 'yes',
        answer: 'receipt of pear',
        uniqueRequestId: 'r1',
      })
      expect(undone[1]).toMatchObject({ state: 'yes', answer: undefined })
      expect(harness.count('pear')).toBe(0)
      expect(harness.count('fig')).toBe(1)
      expect(harness.count('line:1')).toBe(1)
      expect(harness.count('notes')).toBe(2)
      expect(harness.count('shipped')).toBe(1)
    },
  )

  it('leaves an idle record, and a note that everything is undone', ALONE, async () => {
    const { start, book, settle, harness, parked } = orderFlow(cloud)
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await start('r2', 'fig', 1)
    await settle()
    expect(harness.record()).not.toHaveProperty('ending')
    expect(harness.record()).not.toHaveProperty('undoPlan')
    expect(parked('r1')).toMatchObject({ ending: 'superseded', undo: 'undone' })
    expect(parked('r1')).not.toHaveProperty('statusShard')
  })

  it('one without effects is superseded in one write, as without undo', ALONE, async () => {
    const { start, settle, parked, undone, flow } = orderFlow(cloud)
    const book = flow.stageHandler('book', (order, ctx) => ctx.next('pay', order))
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await start('r2', 'fig', 1)
    await deliver(cloud, 'book', book)
    await settle()
    expect(parked('r1')).toBeUndefined()
    expect(undone).toEqual([])
  })

  it('waits until the last attempt of the run has certainly ended', ALONE, async () => {
    let inside = async (): Promise<void> => {}
    const flow = orderFlow(cloud, {
      after: async (stage, { sku }) => {
        if (stage === 'book' && sku === 'pear') await inside()
      },
    })
    const { start, book, undone, harness, settle, parked, sweep } = flow
    inside = async () => {
      await start('r2', 'fig', 1)
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'book', book)
      expect(harness.count('fig')).toBe(1)
      expect(undone).toEqual([])
    }
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    expect(undone).toEqual([])
    expect(parked('r1')).toMatchObject({ undo: 'sent' })
    // The queue hides the first message until then. What the sweeper sends later is a second copy of it.
    harness.clock.advance(13 * 3_600_000)
    expect(await sweep()).toMatchObject({ reminded: 1 })
    await settle()
    expect(harness.count('pear')).toBe(0)
  })

  it('a call without a known result is undone as unknown', ALONE, async () => {
    const flow = orderFlow(cloud)
    const { start, book, undone, settle } = flow
    const pay = flow.flow.stageHandler('pay', async (_order, ctx) => {
      await ctx.call('charge', () => {
        throw new Error('no answer')
      })
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'pay', pay)
    await start('r2', 'fig', 1)
    await settle()
    expect(undone[0]).toMatchObject({ name: 'charge', state: 'unknown', answer: undefined })
  })

  it('its copies and dead letters are over for good', ALONE, async () => {
    const { start, book, settle, harness, names } = orderFlow(cloud)
    await start('r1', 'pear')
    const [first] = await receive(cloud, 'book')
    if (first === undefined) throw new Error('nothing came')
    await sendCopy(cloud, 'book', first)
    await deliver(cloud, 'book', book)
    await start('r2', 'fig', 1)
    await settle()
    const before = names().length
    await sendCopy(cloud, 'book', first)
    await settle()
    expect(harness.count('pear')).toBe(0)
    expect(names()).toHaveLength(before)
  })
})

describe('an undo that fails', () => {
  it('is tried again; what it has done is not done twice', ALONE, async () => {
    let failures = 1
    const { start, book, settle, harness, names } = orderFlow(cloud, {
      before: ({ name }) => {
        if (name === 'reserve' && failures-- > 0) throw new StoreUnavailableError('down')
      },
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await start('r2', 'fig', 1)
    await settle()
    await settle()
    expect(names()).toEqual(['line:2', 'line:1', 'line:2', 'line:1', 'reserve'])
    expect(harness.count('line:1')).toBe(1)
    expect(harness.count('pear')).toBe(0)
  })

  it(
    'is dead-lettered after its last attempt, and goes on when it is redriven',
    ALONE,
    async () => {
      let isBroken = true
      const { start, book, settle, harness, parked } = orderFlow(cloud, {
        before: () => {
          if (isBroken) throw new Error('broken')
        },
      })
      await start('r1', 'pear')
      await deliver(cloud, 'book', book)
      await start('r2', 'fig', 1)
      await settle()
      await settle()
      const [letter] = await receive(cloud, 'dead')
      if (letter === undefined) throw new Error('no dead letter')
      expect(harness.count('pear')).toBe(1)
      expect(parked('r1')).toMatchObject({ undo: 'sent' })
      isBroken = false
      await sendCopy(cloud, 'book', letter)
      await settle()
      expect(harness.count('pear')).toBe(0)
      expect(parked('r1')).toMatchObject({ undo: 'undone' })
    },
  )
})

it('an undo that an operator has resolved goes on with the stage before it', ALONE, async () => {
  const { start, book, pay, settle, harness, sweep, parked } = orderFlow(cloud, {
    before: ({ name }) => {
      if (name === 'charge') throw new Error('broken')
    },
  })
  await start('r1', 'pear')
  await deliver(cloud, 'book', book)
  await deliver(cloud, 'pay', pay)
  await start('r2', 'fig', 1)
  await settle()
  await settle()
  const failed = harness.store
    .items()
    .find(({ status, sk }) => sk === 'token' && status === 'error')
  if (failed === undefined) throw new Error('no undo has failed')
  expect(harness.count('pear')).toBe(1)
  const remove = ['status', 'statusShard', 'dueAt']
  await harness.store.update([{ key: itemKey(failed), where: [], remove }])
  harness.clock.advance(13 * 3_600_000)
  await sweep()
  await settle()
  expect(harness.count('pear')).toBe(0)
  expect(parked('r1')).toMatchObject({ undo: 'undone' })
})

describe('the sweeper', () => {
  it('gives a run up, and its effects are undone', ALONE, async () => {
    const { start, book, settle, harness, sweep, parked } = orderFlow(cloud, {
      onConflict: 'defer',
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await receive(cloud, 'pay')
    harness.clock.advance(25 * 3_600_000)
    expect(await sweep()).toMatchObject({ freed: 1 })
    await settle()
    expect(parked('r1')).toMatchObject({ ending: 'abandoned', undo: 'undone' })
    expect(harness.count('pear')).toBe(0)
  })

  it('leaves a run without effects to its dead letter, as without undo', ALONE, async () => {
    const { start, harness, sweep, parked, flow } = orderFlow(cloud, { onConflict: 'defer' })
    const book = flow.stageHandler('book', (order, ctx) => ctx.next('pay', order))
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    harness.clock.advance(25 * 3_600_000)
    expect(await sweep()).toMatchObject({ freed: 1 })
    expect(parked('r1')).not.toHaveProperty('undo')
  })
})

describe('flow.reset', () => {
  it('undoes what the run has done when it is asked to, and else does not', ALONE, async () => {
    const { start, book, settle, harness, parked, flow } = orderFlow(cloud)
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    await flow.reset('k', { undo: true })
    await settle()
    expect(harness.count('pear')).toBe(0)
    expect(parked('r1')).toMatchObject({ ending: 'reset', undo: 'undone' })
    await start('r2', 'fig', 1)
    await deliver(cloud, 'book', book)
    await flow.reset('k')
    await settle()
    expect(harness.count('fig')).toBe(1)
    expect(parked('r2')).toBeUndefined()
  })
})

describe('lineclear decide FLOW/KEY undo', () => {
  it('ends the run that was shown, and its effects are undone', ALONE, async () => {
    const { start, book, settle, harness, parked } = orderFlow(cloud)
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    const { store, clock } = harness
    const now = clock.now()
    const plan = await planDecision('flow#trip/k', 'undo', {}, { reader: NO_READER, store, now })
    if (plan.kind !== 'change') throw new Error(plan.because)
    expect(plan.changes).toContain(
      'its effects are undone, the last stage first; it cannot be redriven',
    )
    const messenger = awsMessenger({ sqs: cloud.sqs, sns: undefined, inMemory: undefined })
    const operator = { by: 'me', why: 'wrong order', force: true, now, messenger }
    expect(await applyPlan(store, plan, operator)).toEqual({ kind: 'applied' })
    await settle()
    expect(harness.count('pear')).toBe(0)
    expect(parked('r1')).toMatchObject({ ending: 'reset', undo: 'undone' })
    expect(await applyPlan(store, plan, operator)).toMatchObject({ kind: 'refused' })
    expect(
      await planDecision(
        'flow#trip/k',
        'drop',
        { request: 'r1' },
        { reader: NO_READER, store, now },
      ),
    ).toMatchObject({ kind: 'nothing' })
  })
})

describe('a forged message that asks for an undo', () => {
  it('does nothing', ALONE, async () => {
    const { start, book, settle, harness, undone } = orderFlow(cloud)
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    const flow = { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt: 1, from: 'book', undo: true }
    await sendCopy(cloud, 'book', {
      body: '{"$lineclear":"undo"}',
      messageAttributes: {
        uniquerequestid: { dataType: 'String', stringValue: 'forged' },
        lineclear: { dataType: 'String', stringValue: JSON.stringify({ flow }) },
      },
    })
    await deliver(cloud, 'book', book)
    expect(undone).toEqual([])
    expect(harness.count('pear')).toBe(1)
    await settle()
  })
})
