import { expect, it } from 'vitest'
import { bound } from '../depth.ts'
import { isDeep } from '../model/stage/findings.ts'
import { type Alter, byHand } from './byHand.ts'

const HISTORIES = isDeep ? 20_000 : bound(40, 120, 250)
const LIMIT = { timeout: isDeep ? 3_600_000 : 600_000 }

async function wrongIn(histories: number, alter?: Alter, from = 1): Promise<string[]> {
  for (let seed = from; seed < from + histories; seed++) {
    const wrong = await byHand(seed, alter)
    if (wrong.length > 0) return [...wrong, `seed ${seed}`]
  }
  return []
}

/** Only the step is written, or with conditions taken away. */
const reopening =
  (change: (effect: Extract<ReturnType<Alter>['effect'], { kind: 'updates' }>) => object): Alter =>
  (plan) =>
    plan.effect.kind === 'updates'
      ? { ...plan, effect: { ...plan.effect, ...change(plan.effect) } }
      : plan

it(
  'answers by hand, beside redrives, answers and kills: one answer continues the run, once',
  LIMIT,
  async () => {
    expect(await wrongIn(HISTORIES)).toEqual([])
  },
)

it.each([
  ['without the fence', 1, reopening(({ updates }) => ({ updates: updates.slice(-1) }))],
  [
    'with a fence that has no conditions',
    // Breaks at 458. What changes the histories moves it, and the search goes on.
    450,
    reopening(({ updates }) => ({
      updates: updates.map((update, at) =>
        at < updates.length - 1 ? { ...update, where: [] } : update,
      ),
    })),
  ],
] as const)('a step reopened %s breaks it', LIMIT, async (_, near, alter) => {
  expect(await wrongIn(4_000, alter, near)).not.toEqual([])
})
