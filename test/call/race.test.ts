import fc from 'fast-check'
import { type Lock, lockTokens, TerminalError } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'

type Step =
  | { readonly kind: 'begin'; readonly duration: number }
  | { readonly kind: 'succeed' | 'release' | 'fail' | 'park'; readonly holder: number }
  | { readonly kind: 'wait'; readonly milliseconds: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), duration: fc.integer({ min: 1, max: 60_000 }) }),
  fc.record({
    kind: fc.constantFrom('succeed' as const, 'release' as const, 'fail' as const, 'park' as const),
    holder: fc.nat(5),
  }),
  fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.nat(120_000) }),
)

interface Holder {
  readonly lock: Lock<number>
  readonly until: number
  /** Ended, or taken over. */
  over: boolean
}

const END = {
  succeed: (lock: Lock<number>) => lock.endWithSuccess(lock.fence),
  release: (lock: Lock<number>) => lock.release(),
  fail: (lock: Lock<number>) => lock.endWithError(new TerminalError('no')),
  park: (lock: Lock<number>) => lock.endWithError('no'),
}
const STATUS = { succeed: 'complete', fail: 'complete', park: 'error', release: undefined } as const

/** Callers of one key in random order, with holders that outlive their lease. @returns violations */
async function play(steps: readonly Step[]): Promise<readonly string[]> {
  const store = memoryStore()
  const clock = fakeClock()
  const locker = lockTokens<number>({
    store,
    name: 'default',
    clock,
    logger: quietLogger(),
    retention: 'forever',
  })
  const holders: Holder[] = []
  const wrong: string[] = []
  let ended: string | undefined
  const check = (ok: boolean, what: string): void => void (ok || wrong.push(what))

  const begin = async (duration: number): Promise<void> => {
    const live = holders.some(({ until, over }) => !over && until > clock.now())
    const { fence: last = 0 } = holders.at(-1)?.lock ?? {}
    const lock = await locker.begin('k', 'me', duration)
    if (lock.existing !== undefined) {
      check(lock.existing.status === (ended ?? 'inProgress'), 'another status than that of the end')
      check(ended !== undefined || live, 'refused, though no caller holds it')
      return
    }
    check(!live, 'two holders')
    check(ended === undefined, 'begun again after its end')
    check(lock.fence > last, 'a fence that did not grow')
    check(store.items()[0]?.['ttl'] === undefined, 'a ttl on a token that is held')
    for (const holder of holders) holder.over = true
    holders.push({ lock, until: clock.now() + duration + 5_000, over: false })
  }
  const end = async (kind: keyof typeof END, holder: Holder): Promise<void> => {
    const before = JSON.stringify(store.items())
    const mark = await END[kind](holder.lock)
    if (holder.over) return check(JSON.stringify(store.items()) === before, 'a write after the end')
    check(mark.kind === 'marked', 'a holder that could not end')
    holder.over = true
    ended = STATUS[kind] ?? ended
  }
  for (const next of steps) {
    const holder = 'holder' in next ? holders[next.holder] : undefined
    if (next.kind === 'wait') clock.advance(next.milliseconds)
    else if (next.kind === 'begin') await begin(next.duration)
    else if (holder !== undefined) await end(next.kind, holder)
  }
  return wrong
}

it('one holder at a time, fences that grow, ends that stay, no ttl on what is held', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      expect(await play(steps)).toEqual([])
    }),
    { numRuns: 300 },
  )
})
