import type { Settlement } from '../claim/settlement.ts'
import type { EndReason } from '../claim/hold.ts'

/** The end of one delivery, as a metric. Each delivery counts in one of them: their sum is `received`. */
type Outcome =
  | 'completed'
  | 'stale'
  | 'duplicate'
  | 'superseded'
  | 'dropped'
  | 'passedOn'
  | 'replaced'
  | 'retried'
  | 'deadLettered'
  | 'rejected'
  | 'unknown'
  | 'deferred'
  | 'handedBack'
  | 'timedOut'
  | 'failed'

/** `unknown`: parked, since nobody knows whether an outside call was done. `rejected`: what its schema, or its handler, refused. */
export function outcomeOf(settlement: Settlement): Outcome {
  switch (settlement.kind) {
    case 'resent':
    case 'retrying':
      return 'retried'
    case 'deadLettered':
      return OF_THE_DEAD.get(settlement.reason) ?? 'deadLettered'
    case 'dropped':
      return OF_THE_DROPPED.get(settlement.because) ?? 'dropped'
    default:
      return settlement.kind
  }
}

const OF_THE_DEAD: ReadonlyMap<string, Outcome> = new Map([
  ['unknown', 'unknown'],
  ['rejected', 'rejected'],
])
const OF_THE_DROPPED: ReadonlyMap<EndReason, Outcome> = new Map([
  ['duplicate', 'duplicate'],
  ['stale', 'stale'],
  ['superseded', 'superseded'],
])
