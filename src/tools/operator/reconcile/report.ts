import { ANOMALY_KINDS, type AnomalyKind, type Range, type UncheckedReason } from './judge.ts'
import { compareText } from '../tasks/openEntries.ts'
import type { RequestState } from './knownRequest.ts'

/**
 * A request whose rows are wrong. `double`: it has more effects than it should ever have. `lost`: it has completed, or is marked
 * as having made the effect, and a row is missing. `unmarked`: it has not completed, and the ledger has a row that no mark accounts for.
 * `foreign`: a row without a request, such as a manual booking or one of another consumer.
 */
export interface LedgerAnomaly {
  readonly kind: AnomalyKind
  /** The id of its rows, or else its `uniquerequestid`. undefined: the table of a flow has only its digest. */
  readonly id: string | undefined
  /** `consumer/ID` or `flow/KEY`, as `lineclear explain` takes it. undefined: a row without a request of a flow. */
  readonly request: string | undefined
  /** Name of the effect, if the rows name theirs. */
  readonly effect: string | undefined
  readonly count: number
  /** Effects that it should count. */
  readonly expected: Range
  /** What the table shows of the request; undefined: it has none. */
  readonly state: RequestState | undefined
  /** When its newest row was written, epoch milliseconds. undefined: not known. */
  readonly newest: number | undefined
}

export interface ReconcileReport {
  /**
   * `balanced`: every request that could be checked has the effects that it should have. `nothing checked`: no request could be.
   * What was not checked is counted in `unchecked` and `open`, and no verdict is about it.
   */
  readonly verdict: 'balanced' | 'anomalies' | 'nothing checked'
  /** The worst first: doubled, lost, unmarked, foreign; at most `most` of each kind. */
  readonly anomalies: readonly LedgerAnomaly[]
  /** All anomalies by kind. Those beyond `most` of a kind were not read a second time. */
  readonly counts: Readonly<Record<AnomalyKind, number>>
  /** Requests that have the effects they should have; if the rows name their effects, the effects of requests. */
  readonly right: number
  /** Not completed, and nothing too many so far. */
  readonly open: number
  readonly unchecked: Readonly<Record<UncheckedReason, number>>
  readonly requests: number
  /** Rows that the ledger gave, and how many of them name an effect that was not asked for. */
  readonly rows: number
  readonly ignoredRows: number
  /** The window in which the ledger was taken as complete, epoch milliseconds. undefined: unlimited. */
  readonly since: number | undefined
  readonly until: number | undefined
  /** Items of the table that were looked at, and the read units that this took. */
  readonly cost: ScanCost
}

export interface ScanCost {
  readonly looked: number
  readonly readUnits: number
}

export interface Tally {
  readonly report: (rest: ReportRest) => ReconcileReport
  right(): void
  open(): void
  unchecked(because: UncheckedReason): void
  anomaly(anomaly: LedgerAnomaly): void
  /** One of a kind that has been listed often enough. */
  more(kind: AnomalyKind): void
  isFull(kind: AnomalyKind): boolean
}

type ReportRest = Pick<
  ReconcileReport,
  'requests' | 'rows' | 'ignoredRows' | 'since' | 'until' | 'cost'
>

export function openReconcileTally(most: number): Tally {
  const counts = { double: 0, lost: 0, unmarked: 0, foreign: 0 }
  const unchecked = {
    late: 0,
    early: 0,
    outside: 0,
    forgotten: 0,
    idUnknown: 0,
    earlierLife: 0,
  }
  const listed = new Map<AnomalyKind, LedgerAnomaly[]>(ANOMALY_KINDS.map((kind) => [kind, []]))
  let [right, open] = [0, 0]
  return {
    right: () => void (right += 1),
    open: () => void (open += 1),
    unchecked: (because) => void (unchecked[because] += 1),
    anomaly(anomaly) {
      counts[anomaly.kind] += 1
      listed.get(anomaly.kind)?.push(anomaly)
    },
    more: (kind) => void (counts[kind] += 1),
    isFull: (kind) => (listed.get(kind)?.length ?? 0) >= most,
    report: (rest) => {
      const wrong = Object.values(counts).some((count) => count > 0)
      return {
        verdict: wrong ? 'anomalies' : right > 0 ? 'balanced' : 'nothing checked',
        anomalies: [...listed.values()].flatMap((each) => each.toSorted(worstFirst)),
        counts,
        right,
        open,
        unchecked,
        ...rest,
      }
    },
  }
}

function worstFirst(one: LedgerAnomaly, other: LedgerAnomaly): number {
  return distance(other) - distance(one) || compareText(nameOf(one), nameOf(other))
}

function distance({ count, expected: { least, most } }: LedgerAnomaly): number {
  return Math.max(count - most, least - count)
}

function nameOf({ id, request, effect }: LedgerAnomaly): string {
  return JSON.stringify([id ?? request, effect])
}
