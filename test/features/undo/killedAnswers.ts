import type { LocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { deliver, flowHarness } from '../../flow/flowHarness.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { paidOrders } from './answerFlow.ts'
import { mortal } from './mortal.ts'

const ALONE = notIn(['killed', 'clocks'], 'it kills at each call itself')

/** @param calls at which calls of the store the delivery of the answer is killed */
export function describeKilledAnswers(cloudOf: () => LocalCloud, calls: readonly number[]): void {
  it.each(calls)(
    'the effects of answerHandler are undone when its delivery is killed at call %i, and a newer request comes',
    ALONE,
    async (nth) => {
      const [cloud, life] = [cloudOf(), { left: Number.POSITIVE_INFINITY }]
      const orders = paidOrders(cloud, flowHarness(cloud), {
        through: (store) => mortal(store, life),
      })
      await orders.start('r1', 'pear')
      await deliver(cloud, 'book', orders.book)
      await orders.flow.answer('payment', { paymentId: 'pear' })
      life.left = nth
      await deliver(cloud, 'quotes', orders.pay)
      life.left = Number.POSITIVE_INFINITY
      await orders.start('r2', 'fig', 1)
      await deliver(cloud, 'book', orders.book)
      await orders.flow.answer('payment', { paymentId: 'fig' })
      for (let round = 0; round < 3; round++) await orders.settle()
      await orders.settle(13 * 3_600_000)
      for (const id of ['pear', 'ticket pear', 'packed pear']) {
        expect([id, await orders.count(id)]).toEqual([id, 0])
      }
      for (const id of ['fig', 'ticket fig', 'packed fig']) {
        expect([id, await orders.count(id)]).toEqual([id, 1])
      }
      expect(new Set(orders.names()).size).toBe(orders.names().length)
      expect(await orders.parked('r1')).toMatchObject({ ending: 'superseded', undo: 'undone' })
    },
  )
}
