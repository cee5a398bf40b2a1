import type { FaultPoint } from '../../../src/testing/local/faults/faults.ts'

/** More calls than any handler of the tests makes. */
const CALLS = 24

/** The first invocation dies before its first call, the next one after it, the third before its second call, and so on. */
export const KILL_POINTS: readonly FaultPoint[] = Array.from({ length: CALLS * 2 }, (_, nth) => ({
  invocation: nth + 1,
  call: Math.floor(nth / 2) + 1,
  fault: nth % 2 === 0 ? ('killBefore' as const) : ('killAfter' as const),
}))
