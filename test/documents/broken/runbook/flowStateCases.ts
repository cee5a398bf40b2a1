import { expect } from 'vitest'
import type { Case, Cases } from './hand.ts'
import type { Lane } from './lane.ts'
import { HOUR } from './plants.ts'

const KEY = { 'FLOW/KEY': 'trip/k' }
const once = { maxAttempts: 1, delay: () => 0 }

/** A run whose first stage has sent to the last one. */
async function running(one: Lane, more: Parameters<Lane['flow']>[0] = {}) {
  const trip = one.flow({ retry: once, ...more })
  const state = { broken: true }
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
  const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
    await ctx.write('seat', one.seat)
    if (state.broken) throw new Error('no ship')
  })
  const start = async (uniqueRequestId: string) => {
    one.clock.advance(1_000)
    await trip.start({ key: 'k' }, { uniqueRequestId })
    await one.deliver('book', book)
  }
  await start('r1')
  return { trip, state, start, ship: () => one.deliver('ship', ship), handler: ship }
}

const isFree = async (one: Lane): Promise<boolean> =>
  (await one.typed('explain', 'trip/k')).text.includes('the key is free')

const completed: Case = async ({ type, also }) => {
  const fill = { 'FLOW/KEY': 'returns/return-61', STEP: 'inspected' }
  const answer = '{"inspectionId":"inspection-of-return-61","cents":500}'
  const listed = await also('ls --flow returns --status awaiting')
  expect(listed.text).toContain('inspection-of-return-61')
  const { code, text } = await type('decide FLOW/KEY answer', { ...fill, JSON: answer })
  expect([code, text]).toEqual([0, expect.stringContaining('the step has taken the answer')])
}

export const FLOW_STATES: Cases = {
  'flow: running past its time limit': async ({ lane, type }) => {
    const one = await lane()
    const { ship } = await running(one, { giveUpAfter: '1h' })
    await one.taken('ship')
    one.clock.advance(2 * HOUR)
    expect((await type('sweep', {}, one)).text).toMatch(/freed +1|1 freed/)
    expect(await isFree(one)).toBe(true)
    expect((await one.typed('ls', '--status', 'dead')).text).toContain('trip/k r1')
    expect(await ship()).toEqual({ came: 0, kept: 0 })
  },

  'flow: a key that must be free now': async ({ lane, type }) => {
    const one = await lane()
    const { ship } = await running(one)
    expect((await type('decide FLOW/KEY free', KEY, one)).text).toContain('Done')
    expect(await isFree(one)).toBe(true)
    expect(await ship()).toEqual({ came: 1, kept: 0 })
    expect(await one.seats()).toBe(0)
  },

  'flow: dead': async ({ lane, type }) => {
    const one = await lane()
    const { ship, state, start } = await running(one)
    await ship()
    state.broken = false
    expect((await type('dlq redrive', { QUEUE: 'dead', ID: 'r1' }, one)).code).toBe(0)
    await ship()
    expect([await one.seats(), one.waitingIn('dead'), await isFree(one)]).toEqual([1, 0, true])
    state.broken = true
    await start('r2')
    await ship()
    expect((await one.typed('ls')).text).toContain('trip/k r2')
    const forgotten = await type('decide FLOW/KEY drop', { ...KEY, ID: 'r2' }, one)
    expect(forgotten.text).toContain('Done')
    expect((await one.typed('ls')).text).toContain('Nothing is open')
  },

  'flow: awaiting too long': completed,

  'flow: awaiting too long, no answer will come': async ({ type, also }) => {
    const fill = { 'FLOW/KEY': 'returns/return-63', STEP: 'inspected' }
    expect((await type('decide FLOW/KEY timeout', fill)).text).toContain('Done')
    await expect
      .poll(async () => (await also('explain returns/return-63')).text, { timeout: 10_000 })
      .toContain('the key is free')
  },

  'flow: awaiting too long, the answer was wrong, and its handler has died': async ({
    type,
    also,
  }) => {
    const fill = { 'FLOW/KEY': 'returns/return-62', STEP: 'inspected' }
    expect((await type('decide FLOW/KEY again', fill)).text).toContain('Done')
    const answer = '{"inspectionId":"inspection-of-return-62","cents":1200}'
    const done = await also(`decide returns/return-62 answer --step inspected --answer '${answer}'`)
    expect(done.text).toContain('the step has taken the answer')
  },
}
