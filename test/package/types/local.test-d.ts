import { joinLocalCloud, type LocalCloud, mapQueue, type QueueMapping } from 'lineclear/local'
import { expectTypeOf, test } from 'vitest'

declare const cloud: LocalCloud
declare const mapping: QueueMapping

test('an observer knows each event by its type', () => {
  mapQueue({
    cloud,
    queue: 'orders',
    handler: () => {},
    observe: (event) => {
      if (event.type === 'call')
        expectTypeOf(event.outcome).toEqualTypeOf<'ended' | 'failed' | 'never'>()
      if (event.type === 'depth') expectTypeOf(event.ready).toBeNumber()
      // @ts-expect-error a queue's depth has no invocation
      if (event.type === 'depth') void event.invocation
    },
  })
})

test('wrong faults fail to compile', () => {
  mapping.faultNextCall('killBefore', { effect: 'reserve' })
  mapping.faultNextCall('conflict', { request: ['o-1', 'o-2'], nth: 2 })
  // @ts-expect-error a delivery is no part of a call or an invocation
  mapping.faultNextCall('duplicate')
  // @ts-expect-error there is no such part of a match
  mapping.faultNextCall('killBefore', { queue: 'orders' })
  // @ts-expect-error a probability is a number
  mapping.setFaults({ kill: '0.1' })
})

test('a joined cloud is a local cloud', () => {
  expectTypeOf(joinLocalCloud).returns.resolves.toEqualTypeOf<LocalCloud>()
})
