import { env } from 'node:process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrokenShop, startBrokenShop } from './brokenShop.ts'
import { filledIn, typed, wordsOf } from './doTasks.ts'
import { TASKS } from './tasks.ts'

let shop: BrokenShop
beforeAll(async () => {
  shop = await startBrokenShop()
  await shop.fix('bank')
})
afterAll(() => shop[Symbol.asyncDispose]())

/** At every call: `LINECLEAR_MODEL=deep`. */
const STEP = env['LINECLEAR_MODEL'] === 'deep' ? 1 : 4

/** Those of dead letters are killed at each call in `test/tools/cli/dlqKilled.proof.test.ts`. */
const CHANGES = TASKS.flatMap(({ commands, again }) => {
  const [plan = '', change = ''] = commands.slice(-2)
  return again === undefined || /redrive/.test(plan) ? [] : [{ plan, change, again }]
})

it.concurrent.each(CHANGES)(
  '$plan: killed at a call and typed again, until it is done',
  async ({ plan, change, again }) => {
    let kills = 0
    for (let killAt = 2; ; killAt += STEP) {
      const { text } = await typed(shop, wordsOf(plan))
      if (again.test(text)) break
      expect(text).toContain('To make the change')
      const { code, out } = await shop.typeAndKill(killAt, ...wordsOf(filledIn(change, text)))
      if (code === null) kills += 1
      // The killed command may have got further than its plan shows.
      else if (!/Done/.test(out) && !again.test(out)) throw new Error(out)
    }
    expect(kills).toBeGreaterThan(0)
  },
)
