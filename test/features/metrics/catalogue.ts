import type {
  CallMetric,
  EndMetric,
  OnceMetric,
  RecordMetric,
  SweepMetric,
} from '../../../src/library/features/metrics/metrics.ts'

type Unit = 'Count' | 'Milliseconds'
type Catalogue<Name extends string> = Readonly<Record<Name, Unit>>

/** Every metric that the code can report: a name that is missing here is a type error, and so is one that the code does not know. */
const ENDS: Catalogue<EndMetric> = {
  completed: 'Count',
  duplicate: 'Count',
  alreadyDeadLettered: 'Count',
  stale: 'Count',
  superseded: 'Count',
  reset: 'Count',
  dropped: 'Count',
  coalesced: 'Count',
  late: 'Count',
  accepted: 'Count',
  replaced: 'Count',
  resent: 'Count',
  retrying: 'Count',
  deferred: 'Count',
  notStarted: 'Count',
  circuitOpen: 'Count',
  timedOut: 'Count',
  failed: 'Count',
  deadLettered: 'Count',
  rejected: 'Count',
  unknown: 'Count',
}

const RECORD: Catalogue<RecordMetric> = {
  ...ENDS,
  received: 'Count',
  started: 'Count',
  lostAttempts: 'Count',
  lateCalls: 'Count',
  otherNames: 'Count',
  otherPayload: 'Count',
  untold: 'Count',
  attempt: 'Count',
  duration: 'Milliseconds',
  latency: 'Milliseconds',
}

const CALL: Catalogue<CallMetric> = {
  started: 'Count',
  completed: 'Count',
  superseded: 'Count',
  notStored: 'Count',
  terminal: 'Count',
  parked: 'Count',
  blocked: 'Count',
  unknown: 'Count',
  released: 'Count',
  replayed: 'Count',
  inProgress: 'Count',
  conflict: 'Count',
  missingKey: 'Count',
  misconfigured: 'Count',
  unavailable: 'Count',
  lostAttempts: 'Count',
  lateCalls: 'Count',
  otherNames: 'Count',
}

const ONCE: Catalogue<OnceMetric> = {
  acquired: 'Count',
  queued: 'Count',
  queuedAgain: 'Count',
  duplicate: 'Count',
  conflict: 'Count',
  notQueued: 'Count',
  unavailable: 'Count',
}

const SWEEP: Catalogue<SweepMetric> = {
  missingTasks: 'Count',
  waitingTasks: 'Count',
  inProgress: 'Count',
  openCircuits: 'Count',
  oldestDelayed: 'Milliseconds',
}

export interface Reporter {
  /** The names of its dimensions. */
  readonly by: readonly string[]
  readonly metrics: Readonly<Record<string, Unit>>
}

/** All sets of dimensions, and what is reported under each. */
export const REPORTERS: readonly Reporter[] = [
  { by: ['table', 'consumer'], metrics: RECORD },
  { by: ['table', 'flow', 'stage'], metrics: RECORD },
  { by: ['table', 'name'], metrics: { ...CALL, ...ONCE } },
  { by: ['table'], metrics: SWEEP },
]

export const RECORD_ENDS: readonly string[] = Object.keys(ENDS)

/** How a call ended that had begun. */
export const CALL_ENDS: readonly CallMetric[] = [
  'completed',
  'superseded',
  'notStored',
  'terminal',
  'parked',
  'unknown',
  'released',
]

/** Names that are not among those of their reporter, or have another unit. */
export function unlisted(lines: readonly Readonly<Record<string, unknown>>[]): string[] {
  return lines.flatMap(({ _aws }) => {
    const { CloudWatchMetrics } = _aws as { CloudWatchMetrics: readonly Directive[] }
    return CloudWatchMetrics.flatMap(({ Dimensions: [by = []], Metrics }) => {
      // A store in memory has no table.
      const all = by.includes('table') ? by : ['table', ...by]
      const known = REPORTERS.find((each) => each.by.join() === all.join())?.metrics
      return Metrics.filter(({ Name, Unit }) => known?.[Name] !== Unit).map(
        ({ Name, Unit }) => `${by.join()} ${Name} ${Unit}`,
      )
    })
  })
}

interface Directive {
  readonly Dimensions: readonly (readonly string[])[]
  readonly Metrics: readonly { readonly Name: string; readonly Unit: Unit }[]
}
