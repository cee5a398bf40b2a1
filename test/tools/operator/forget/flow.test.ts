import { describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/library/protocol/store/store.ts'
import { deadTrip, SECRET } from './forgetting.ts'

describe('a key of a flow', () => {
  it('whose dead run is listed is left, and the run is named', async () => {
    const { plan, apply, text } = await deadTrip()
    const { taken, notErased } = await plan()
    expect(taken).toEqual([])
    expect(notErased).toEqual([
      {
        what: 'trips/k dead#r-1',
        because: expect.stringMatching(
          /can be continued\. .*: lineclear decide trips\/k drop --request r-1$/,
        ),
      },
    ])
    await apply(taken)
    expect(text()).toContain(SECRET)
  })

  it('that a run holds is left', async () => {
    const { plan, unlist, redrive, cloud, state, charge } = await deadTrip()
    await unlist()
    await redrive()
    state.broken = false
    let during: Awaited<ReturnType<typeof plan>> | undefined
    state.atEnd = async () => void (during = await plan())
    await cloud.drain({ charge })
    expect(during?.taken).toEqual([])
    expect(during?.notErased).toMatchObject([
      {
        because: expect.stringMatching(
          /^the run of r-1 has not ended.*: lineclear decide trips\/k free$/,
        ),
      },
    ])
    expect(state).toMatchObject({ calls: 1, ends: 1 })
    expect((await plan()).taken).not.toEqual([])
  })

  it('is erased once its dead run is dropped; a dead letter of it continues nothing, and calls nothing again', async () => {
    const { plan, apply, text, decide, redrive, cloud, state, charge } = await deadTrip()
    await decide('drop', { request: 'r-1' })
    const { taken, erased, notErased } = await plan()
    expect(notErased).toEqual([])
    expect(erased).toEqual([
      'trips/k dead#r-1: error, stack, what a dead letter could continue, operatorWhy',
      'trips/k stage: what a run could continue, operatorWhy',
      'trips/k answer#r-1#charge:pay: answer',
      expect.stringMatching(/^trips\/k await#quote#r-1#\S+: body$/),
      expect.stringMatching(/^trips\/k await#quote#r-1#\S+: body$/),
    ])
    expect(JSON.stringify(taken)).not.toContain(SECRET)
    const done = await apply(taken)
    expect(done).toMatchObject({ notErased: [], ended: 'complete' })
    expect(new Set(done.erased)).toEqual(new Set(erased))
    expect(text()).not.toContain(SECRET)
    expect(await plan()).toMatchObject({ taken: [], notErased: [] })
    state.broken = false
    await redrive()
    await cloud.drain({ charge })
    expect(state).toMatchObject({ calls: 1, ends: 0 })
  })

  /** A store whose process dies before a write. */
  const killedAt = (store: Store, write: number): Store => {
    let writes = 0
    return {
      ...store,
      update: async (updates) => {
        if ((writes += 1) === write) throw new Error('killed')
        return store.update(updates)
      },
    }
  }

  it.each([2, 3, 4, 5])(
    'killed at write %i, and typed again, is erased as a whole',
    async (write) => {
      const { plan, apply, text, unlist, store, redrive, cloud, state, charge } = await deadTrip()
      await unlist()
      const { taken } = await plan()
      await expect(apply(taken, killedAt(store, write))).rejects.toThrow('killed')
      state.broken = false
      await redrive()
      await cloud.drain({ charge })
      expect(state).toMatchObject({ calls: 1, ends: 0 })
      const again = write % 2 === 0 ? taken : (await plan()).taken
      expect(await apply(again)).toMatchObject({ notErased: [] })
      expect(text()).not.toContain(SECRET)
    },
  )

  it('killed before its first write can still be continued by its dead letter, once', async () => {
    const { plan, apply, unlist, store, redrive, cloud, state, charge } = await deadTrip()
    await unlist()
    const { taken } = await plan()
    await expect(apply(taken, killedAt(store, 1))).rejects.toThrow('killed')
    state.broken = false
    await redrive()
    await cloud.drain({ charge })
    expect(state).toMatchObject({ calls: 1, ends: 1 })
  })

  it('that a dead letter continues in the same moment keeps its answers, or the run does not begin', async () => {
    const { plan, apply, unlist, store, redrive, cloud, state, make } = await deadTrip()
    await unlist()
    const { taken } = await plan()
    let forgotten = false
    // The message has read the dead run; before it claims, all of it is erased.
    const racing: Store = {
      ...store,
      read: async (keys, options) => {
        const read = await store.read(keys, options)
        if (!forgotten && keys.some(({ sk }) => sk.startsWith('dead#'))) {
          forgotten = true
          await apply(taken)
        }
        return read
      },
    }
    state.broken = false
    await redrive()
    await cloud.drain({ charge: make(racing).charge })
    expect(forgotten).toBe(true)
    expect(state).toMatchObject({ calls: 1, ends: 0 })
  })

  it('that a dead letter continues while it is being closed keeps its answers', async () => {
    const { plan, apply, unlist, store, redrive, cloud, state, charge } = await deadTrip()
    await unlist()
    const { taken } = await plan()
    await redrive()
    const [claimed, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    state.broken = false
    state.atBegin = () => {
      claimed.resolve()
      return going.promise
    }
    let run: Promise<unknown> | undefined
    const racing: Store = {
      ...store,
      update: async (updates) => {
        run ??= cloud.drain({ charge })
        await claimed.promise
        return store.update(updates)
      },
    }
    const { erased, notErased } = await apply(taken, racing)
    going.resolve()
    await run
    expect(erased).toEqual([expect.stringMatching(/^trips\/k dead#r-1: /)])
    expect(notErased).toMatchObject([{ because: expect.stringContaining('has not ended') }])
    expect(state).toMatchObject({ calls: 1, ends: 1 })
  })

  it('that has been continued since the plan is left as it is, and said to be', async () => {
    const { plan, apply, text, unlist, redrive, cloud, state, charge } = await deadTrip()
    await unlist()
    const { taken } = await plan()
    await redrive()
    await cloud.drain({ charge })
    expect(state).toMatchObject({ calls: 1, ends: 0 })
    const { erased, notErased } = await apply(taken)
    expect(erased).toEqual([])
    expect(notErased).toMatchObject([{ what: 'trips/k dead#r-1' }])
    expect(text()).toContain(SECRET)
  })
})
