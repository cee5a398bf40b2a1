import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, flowHarness, sendCopy, startFlowCloud } from '../../flow/flowHarness.ts'
import { tripOn } from '../../flow/trip.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { paidOrders } from './answerFlow.ts'
import { stock } from './harness.ts'
import { describeKilledAnswers } from './killedAnswers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')
const EFFECTS = ['pear', 'ticket pear', 'packed pear']

describe('the effects of answerHandler', () => {
  it(
    'are undone with the answer, after the stages that followed and before the one that waited',
    ALONE,
    async () => {
      const orders = paidOrders(cloud, flowHarness(cloud), {
        afterShip: (sku) => {
          if (sku === 'pear') throw new Error('not yet')
        },
      })
      await orders.start('r1', 'pear')
      await deliver(cloud, 'book', orders.book)
      await orders.flow.answer('payment', { paymentId: 'pear' })
      await deliver(cloud, 'quotes', orders.pay)
      await deliver(cloud, 'ship', orders.ship)
      for (const id of EFFECTS) expect([id, await orders.count(id)]).toEqual([id, 1])
      await orders.flow.reset('k', { undo: true })
      await orders.settle()
      expect(orders.names()).toEqual(['pack', 'mail', 'ticket', 'reserve'])
      expect(orders.payloads[1]).toEqual({ paymentId: 'pear' })
      expect(orders.undone[1]).toMatchObject({ state: 'yes', answer: 'mail to pear' })
      for (const id of EFFECTS) expect([id, await orders.count(id)]).toEqual([id, 0])
      expect(await orders.parked('r1')).toMatchObject({ undo: 'undone' })
    },
  )
})

// The first, the last, and one between. All of them: `answers.proof.test.ts`.
describeKilledAnswers(() => cloud, [1, 5, 9])

describe('what an undo of answerHandler would have no answer for', () => {
  it('a wait for several answers is refused before its request is made', ALONE, async () => {
    const harness = flowHarness(cloud)
    const orders = paidOrders(cloud, harness, { ids: ['a', 'b'] })
    await orders.start('r1', 'pear')
    await deliver(cloud, 'book', orders.book)
    expect(JSON.stringify(harness.lines)).toContain(
      'expected one id, because awaitingSteps.payment has',
    )
  })

  it('a message that asks for it is dead-lettered in a step without undo', ALONE, async () => {
    const harness = flowHarness(cloud)
    const answerHandler = tripOn(cloud, harness).answerHandler('quote', () => {})
    const sentAt = harness.clock.now()
    const flow = { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt, from: 'quote', undo: true }
    await sendCopy(cloud, 'quotes', {
      body: JSON.stringify({ quoteId: 'q1', price: 1 }),
      messageAttributes: {
        lineclear: { dataType: 'String', stringValue: JSON.stringify({ flow }) },
      },
    })
    await deliver(cloud, 'quotes', answerHandler)
    expect(harness.settled).toMatchObject([{ kind: 'deadLettered' }])
    expect(JSON.stringify(harness.lines)).toContain('which has no option undo')
  })

  it('onTimeout makes only effects that stay', ALONE, async () => {
    const harness = flowHarness(cloud)
    const orders = paidOrders(cloud, harness, {
      timeout: '1m',
      onTimeout: async (ctx) => {
        await ctx.write('note', stock('notes', 1))
        await ctx.write('ticket', stock('ticket pear', 1))
      },
    })
    await orders.start('r1', 'pear')
    await deliver(cloud, 'book', orders.book)
    await orders.settle()
    expect(JSON.stringify(harness.lines)).toContain("in onTimeout of step 'payment' of flow 'trip'")
    await orders.settle(13 * 3_600_000)
    expect(await orders.count('ticket pear')).toBe(0)
    expect(await orders.count('notes')).toBe(1)
    expect(orders.names()).toEqual(['reserve'])
    expect(await orders.parked('r1')).toMatchObject({ undo: 'undone' })
  })
})
