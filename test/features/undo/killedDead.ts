import type { Store } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { expect } from 'vitest'
import { deliver } from '../../flow/flowHarness.ts'
import { deadOrder } from './deadOrder.ts'
import type { Place } from './harness.ts'
import { mortal, pausing } from './mortal.ts'

type DeadOrder = Awaited<ReturnType<typeof deadOrder>>

const MINUTES = 60_000

/** The effects of the order are undone, once each, and it never ships; or it ships, and nothing is undone. */
async function oneEnd(order: DeadOrder): Promise<'undone' | 'shipped'> {
  for (const after of [20 * MINUTES, 20 * MINUTES, undefined]) await order.finish(after)
  const [parked, pear, shipped] = [
    await order.parked(),
    await order.count('pear'),
    await order.count('shipped'),
  ]
  expect(await order.record()).not.toHaveProperty('uniquerequestid')
  if (parked?.['undo'] === undefined) {
    expect([pear, shipped, order.names()]).toEqual([1, 1, []])
    expect(parked).toMatchObject({ reopened: 'ended' })
    return 'shipped'
  }
  expect(parked).toMatchObject({ ending: 'dead', undo: 'undone' })
  expect([pear, shipped]).toEqual([0, 0])
  expect(order.names()).toEqual(['charge', 'line:2', 'line:1', 'reserve'])
  return 'undone'
}

/** A dead order, and a redrive that calls a store of its own. */
async function breakable(cloud: LocalCloud, place: Place) {
  let seen = place.store
  const order = await deadOrder(cloud, place, {
    through: () => ({
      ...place.store,
      create: (items) => seen.create(items),
      update: (updates) => seen.update(updates),
      read: (keys, options) => seen.read(keys, options),
      transact: (claim, writes) => seen.transact(claim, writes),
    }),
  })
  const redriveBy = async (store: Store): Promise<void> => {
    seen = store
    await order.redrive()
    seen = place.store
  }
  return { order, redriveBy }
}

type Races = Readonly<
  Record<string, (cloud: LocalCloud, place: Place, nth: number) => Promise<'undone' | 'shipped'>>
>

/** The operator's command and a redrive of the same dead letter. */
export const RACES: Races = {
  'the command dies at one of its calls, and then the dead letter is redriven': async (
    cloud,
    place,
    nth,
  ) => {
    const { order } = await breakable(cloud, place)
    await order.operate(mortal(place.store, { left: nth })).catch(() => {})
    await order.redrive()
    return oneEnd(order)
  },
  'the redrive dies at one of its calls, and then the command is given': async (
    cloud,
    place,
    nth,
  ) => {
    const { order, redriveBy } = await breakable(cloud, place)
    await redriveBy(mortal(place.store, { left: nth }))
    await order.operate()
    return oneEnd(order)
  },
  'the redrive dies after it has begun, the command dies at one of its calls, and the redrive goes on':
    async (cloud, place, nth) => {
      const { order, redriveBy } = await breakable(cloud, place)
      await redriveBy(mortal(place.store, { left: 3 }))
      expect(await order.parked()).toMatchObject({ reopened: 1 })
      await order.operate(mortal(place.store, { left: nth })).catch(() => {})
      return oneEnd(order)
    },
  'the whole redrive runs before one call of the command': async (cloud, place, nth) => {
    const { order } = await breakable(cloud, place)
    await order.operate(pausing(place.store, nth, order.redrive))
    return oneEnd(order)
  },
  'the whole command runs before one call of the redrive': async (cloud, place, nth) => {
    const { order, redriveBy } = await breakable(cloud, place)
    await redriveBy(pausing(place.store, nth, order.operate))
    return oneEnd(order)
  },
}

/** `undoDead`: the delivery that dies is killed at its call `nth`, and so is the sweeper that finds it, at its call `swept`. */
export async function diesByItself(
  cloud: LocalCloud,
  place: Place,
  nth: number,
  swept: number,
): Promise<'undone' | 'shipped'> {
  const life = { left: Number.POSITIVE_INFINITY }
  const behaviour = { undoDead: true, through: (store: Store) => mortal(store, life) }
  let kills = 1
  const order = await deadOrder(cloud, place, behaviour, () => {
    if (kills-- > 0) life.left = nth
  })
  life.left = Number.POSITIVE_INFINITY
  place.clock.advance(20 * MINUTES)
  await order.sweepThrough(mortal(place.store, { left: swept })).catch(() => {})
  await deliver(cloud, 'pay', order.pay)
  return oneEnd(order)
}
