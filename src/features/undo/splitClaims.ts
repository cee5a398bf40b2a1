import type { Claim, ClaimStrategy } from '../../deliver/claimStrategy.ts'
import type { IncomingRecord } from '../../deliver/incomingRecord.ts'

/** Messages that ask for an undo are records of their own, claimed by `undo`. All others are left to the other strategy. */
export function splitClaims(
  asksForUndo: (work: IncomingRecord) => boolean,
  undo: ClaimStrategy['claim'],
  ordinary: ClaimStrategy,
): ClaimStrategy {
  return {
    ...ordinary,
    claim: async (works, invocation, ahead) => {
      const asking = works.filter(asksForUndo)
      if (asking.length === 0) return ordinary.claim(works, invocation, ahead)
      const others = works.filter((work) => !asksForUndo(work))
      const [undos, claims] = await Promise.all([
        undo(asking, invocation, ahead),
        ordinary.claim(others, invocation, ahead),
      ])
      const all: ReadonlyMap<IncomingRecord, Claim | undefined> = new Map([
        ...asking.map((work, index) => [work, undos[index]] as const),
        ...others.map((work, index) => [work, claims[index]] as const),
      ])
      return works.flatMap((work) => all.get(work) ?? [])
    },
  }
}
