import { describe, expect, it } from 'vitest'
import type { LocalCloud } from 'lineclear/local'
import { NO_READER } from '../../tools/operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { adviseDeadRun } from '../../../src/tools/operator/explain/adviseFlow.ts'
import { itemKey } from '../../../src/sweeper/address.ts'
import { emptyAll, receive, sendCopy } from '../../flow/flowHarness.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { undoId } from '../../../src/features/undo/decideEnding.ts'
import { deadOrder } from './deadOrder.ts'
import type { Behaviour, Place } from './harness.ts'
import { diesByItself, RACES } from './killedDead.ts'

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')

/** Queues, and a new store for each test. */
export interface Places {
  readonly cloud: LocalCloud
  open(): Promise<Place>
}

async function dead({ cloud, open }: Places, behaviour: Behaviour = {}) {
  const place = await open()
  const order = await deadOrder(cloud, place, behaviour)
  const [letter] = await receive(cloud, 'dead')
  if (letter === undefined) throw new Error('no dead letter')
  return { ...order, place, letter }
}

/**
 * What becomes of the effects of a dead request, on either store.
 * @param calls of the store at which it is killed, or waits
 */
export function describeDeadRequests(places: () => Places, calls: readonly number[]): void {
  describe('a dead request', () => {
    it('keeps its effects, frees its key, and can be redriven', ALONE, async () => {
      const { parked, letter, settle, undone, broken, count, record } = await dead(places())
      expect(await record()).not.toHaveProperty('uniquerequestid')
      expect(await parked()).toMatchObject({ ending: 'dead' })
      expect(await parked()).not.toHaveProperty('undo')
      broken.is = false
      await sendCopy(places().cloud, 'pay', letter)
      await settle()
      expect(await count('shipped')).toBe(1)
      expect(await count('pear')).toBe(1)
      expect(undone).toEqual([])
      expect(await parked()).toMatchObject({ reopened: 'ended' })
    })

    it('is undone when an operator asks for it; then a redrive runs nothing', ALONE, async () => {
      const { parked, letter, plan, apply, settle, finish, names, broken, count } =
        await dead(places())
      const shown = await plan()
      expect(shown).toMatchObject({
        kind: 'change',
        standing: expect.arrayContaining([
          'r1 is dead',
          'stage book: done, sent to pay',
          'stage pay: dead (terminal)',
        ]),
        changes: [
          'its effects are undone, the last stage first: pay, book',
          'it cannot be redriven: its dead letter is dropped as undone',
        ],
      })
      expect(await apply(shown)).toEqual({ kind: 'applied' })
      await finish()
      expect(names()).toEqual(['charge', 'line:2', 'line:1', 'reserve'])
      expect(await count('pear')).toBe(0)
      expect(await parked()).toMatchObject({ undo: 'undone', operatorDid: 'decide undo' })
      expect(await parked()).not.toHaveProperty('statusShard')
      broken.is = false
      await sendCopy(places().cloud, 'pay', letter)
      await settle()
      expect(await count('shipped')).toBe(0)
      expect(await plan()).toMatchObject({ kind: 'nothing', because: 'its effects are undone' })
    })

    it(
      'that a newer one has overtaken keeps its effects until an operator decides',
      ALONE,
      async () => {
        const { parked, letter, plan, apply, start, settle, finish, count } = await dead(places())
        await start('r2', 'fig', 1)
        await settle()
        await sendCopy(places().cloud, 'pay', letter)
        await settle()
        expect(await count('pear')).toBe(1)
        expect(await count('fig')).toBe(1)
        const item = await parked()
        if (item === undefined) throw new Error('not kept')
        const about = { id: 'trip/k', request: 'r1', homeQueue: undefined, now: 0 }
        expect(adviseDeadRun(item, about).map(({ text }) => text)).toContain(
          'to undo what it has done: lineclear decide trip/k undo --request r1',
        )
        await apply(await plan())
        await finish()
        expect(await count('pear')).toBe(0)
        expect(await count('fig')).toBe(1)
        expect(await count('line:1')).toBe(1)
      },
    )

    it('is redriven or undone, never both: whoever writes first', ALONE, async () => {
      const { letter, plan, apply, settle, undone, broken, count } = await dead(places())
      const shown = await plan()
      broken.is = false
      await sendCopy(places().cloud, 'pay', letter)
      await settle()
      expect(await apply(shown)).toEqual({ kind: 'refused', because: 'outdated' })
      expect(await plan()).toMatchObject({
        kind: 'impossible',
        because: 'it was redriven, and its run has ended',
      })
      expect(await count('shipped')).toBe(1)
      expect(undone).toEqual([])
    })

    it('whose redrive has begun and come to nothing can be undone', ALONE, async () => {
      const { parked, plan, apply, finish, count, record, place } = await dead(places())
      const item = await parked()
      if (item === undefined) throw new Error('not kept')
      const { pk } = itemKey(item)
      const fence = Number((await record())?.['fence'])
      await place.store.update([{ key: { pk, sk: 'dead#r1' }, where: [], set: { reopened: 1 } }])
      await apply(await plan())
      expect(await record()).toMatchObject({ fence: fence + 1 })
      await finish()
      expect(await count('pear')).toBe(0)
    })

    it('that dies again can be undone again', ALONE, async () => {
      const { letter, plan, apply, settle, finish, count, record } = await dead(places())
      await sendCopy(places().cloud, 'pay', letter)
      await settle()
      expect(await record()).not.toHaveProperty('uniquerequestid')
      await apply(await plan())
      await finish()
      expect(await count('pear')).toBe(0)
    })

    it(
      'that is being undone stays listed: a command to forget it comes too late',
      ALONE,
      async () => {
        const { parked, plan, apply, finish, count, place } = await dead(places())
        const forget = await planDecision(
          'flow#trip/k',
          'drop',
          { request: 'r1' },
          { ...place, reader: NO_READER, now: place.clock.now() },
        )
        await apply(await plan())
        expect(await apply(forget)).toEqual({ kind: 'refused', because: 'outdated' })
        expect(await parked()).toHaveProperty('statusShard')
        await finish()
        expect(await count('pear')).toBe(0)
      },
    )

    it('whose undo an operator has resolved: the stage before is undone', ALONE, async () => {
      const { parked, plan, apply, finish, count, place, names } = await dead(places(), {
        before: ({ name }) => {
          if (name === 'charge') throw new Error('broken')
        },
      })
      await apply(await plan())
      await finish()
      const id = `trip.pay/${undoId('r1', Number((await parked())?.['epoch']), 'pay')}`
      const now = place.clock.now()
      await apply(
        await planDecision(`lock#${id}`, 'done', {}, { ...place, reader: NO_READER, now }),
      )
      expect(await count('pear')).toBe(1)
      await finish()
      expect(names()).toEqual(['line:2', 'line:1', 'reserve'])
      expect(await parked()).toMatchObject({ undo: 'undone' })
    })
  })

  describe('undoDead: true', () => {
    it('a run that dies is undone by itself, and its dead letter runs nothing', ALONE, async () => {
      const { parked, letter, settle, finish, names, broken, count } = await dead(places(), {
        undoDead: true,
      })
      await finish()
      expect(names()).toEqual(['charge', 'line:2', 'line:1', 'reserve'])
      expect(await count('pear')).toBe(0)
      expect(await parked()).toMatchObject({ ending: 'dead', undo: 'undone' })
      broken.is = false
      await sendCopy(places().cloud, 'pay', letter)
      await settle()
      expect(await count('shipped')).toBe(0)
    })
  })

  describe('undone or redriven, whoever is killed or slow', () => {
    it.each(Object.entries(RACES))('%s', ALONE, async (_race, run) => {
      const ends: string[] = []
      for (const nth of calls) {
        ends.push(await run(places().cloud, await places().open(), nth))
        await emptyAll(places().cloud)
      }
      expect(new Set(ends)).toEqual(new Set(['undone', 'shipped']))
    })
  })

  describe('undoDead: true, killed', () => {
    it('the delivery that dies, and then the sweeper', ALONE, async () => {
      for (const nth of calls) {
        const end = await diesByItself(places().cloud, await places().open(), nth, nth % 5)
        expect([nth, end]).toEqual([nth, 'undone'])
        await emptyAll(places().cloud)
      }
    })
  })
}
