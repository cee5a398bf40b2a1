import type { Claim, ClaimStrategy } from '../batch/claimStrategy.ts'
import type { IncomingRecord } from '../batch/incomingRecord.ts'
import type { StageToUndo } from '../flow/undo.ts'
import { claimUndo } from './claimUndo.ts'

/** The strategy of a stage whose effects can be undone: messages that ask for it are records of their own. */
export function withUndo(stage: StageToUndo, ordinary: ClaimStrategy): ClaimStrategy {
  return {
    ...ordinary,
    claim: async (works, invocation, ahead) => {
      const asking = works.filter(asksForUndo)
      if (asking.length === 0) return ordinary.claim(works, invocation, ahead)
      const others = works.filter((work) => !asksForUndo(work))
      const [undos, claims] = await Promise.all([
        claimUndo(stage, asking, invocation, ahead),
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

function asksForUndo({ message }: IncomingRecord): boolean {
  return message.envelope.carried.flow?.undo === true
}
