import { splitId } from '../text/itemId.ts'
import type { StageFacts } from './factParts.ts'
import type { DeadRunFacts, Facts, TokenFacts } from './facts.ts'
import { NO_DETAILS, type Outcome, type TimelineEvent } from './timelineEvent.ts'

export interface AttemptSpan {
  readonly lane: string
  readonly request: string | undefined
  readonly attempt: number
  readonly from: number
  /** Its end; of one that has reported none: its last sign of life. */
  readonly to: number
  readonly state: 'running' | 'ended'
  readonly outcome: Outcome | undefined
  readonly why: string | undefined
  /** The end of the lease of a `running` or `lost` one; when the next attempt after a `failed` one may begin. */
  readonly until: number | undefined
}

export interface LaneEvent extends TimelineEvent {
  readonly at: number
  readonly lane: string
}

/** The attempts of one request in one lane, by their beginning. @param events by their time */
export function attemptsOf(
  events: readonly LaneEvent[],
  standing: Standing | undefined,
): readonly AttemptSpan[] {
  const drafts: Draft[] = []
  for (const event of withBeginning(events, standing)) addEvent(drafts, event)
  return drafts.map((draft, at) => finish(draft, drafts[at + 1], standing))
}

interface Draft extends Pick<AttemptSpan, 'lane' | 'request' | 'attempt' | 'from'> {
  /** Where its beginning is known from: the log and the table both have it. */
  readonly begunIn: Set<TimelineEvent['from']>
  sign: number
  end?: { readonly at: number; readonly outcome: Outcome; readonly why: string | undefined }
}

/** The id of a stage's last attempt says when it began, and nothing else in the table does. */
function withBeginning(
  events: readonly LaneEvent[],
  standing: Standing | undefined,
): readonly LaneEvent[] {
  const { attempt, beganAt, lane, request } = standing ?? {}
  if (attempt === undefined || beganAt === undefined || lane === undefined) return events
  if (events.some((event) => event.kind === 'began' && event.attempt === attempt)) return events
  const began: LaneEvent = {
    ...NO_DETAILS,
    at: beganAt,
    from: 'table',
    where: lane,
    lane,
    request,
    attempt,
    kind: 'began',
    what: 'claimed',
  }
  return [...events, began].toSorted((one, other) => one.at - other.at)
}

function addEvent(drafts: Draft[], event: LaneEvent): void {
  const { kind, at, attempt } = event
  if (attempt === undefined) return
  const known = drafts.findLast((draft) => draft.attempt === attempt)
  if (kind === 'began') {
    if (known !== undefined && known.end === undefined && !known.begunIn.has(event.from)) {
      known.begunIn.add(event.from)
      known.sign = Math.max(known.sign, at)
    } else drafts.push(begin(event, attempt))
    return
  }
  const outcome = kind === 'ended' || kind === 'settled' ? event.outcome : undefined
  if (outcome === undefined) {
    if (known !== undefined && known.end === undefined && kind === 'other') known.sign = at
    return
  }
  // The log has no line of its beginning, which is one for debugging.
  const draft = known ?? begin(event, attempt)
  if (known === undefined) drafts.push(draft)
  // The table repeats the end that the log has shown; a later line of the log corrects an earlier one.
  if (draft.end === undefined || event.from === 'log') draft.end = { at, outcome, why: event.why }
}

function begin({ lane, request, at, from }: LaneEvent, attempt: number): Draft {
  return { lane, request, attempt, from: at, begunIn: new Set([from]), sign: at }
}

function finish(
  { end, sign, lane, request, attempt, from }: Draft,
  next: Draft | undefined,
  standing: Standing | undefined,
): AttemptSpan {
  const draft = { lane, request, attempt, from }
  const isLast = next === undefined && standing?.attempt === draft.attempt
  const until = isLast ? standing.until : undefined
  if (end !== undefined) {
    const { outcome, why } = end
    const due = outcome === 'failed' || outcome === 'timedOut' ? until : undefined
    return { ...draft, to: end.at, state: 'ended', outcome, why, until: due }
  }
  const silent = { ...draft, to: sign, why: undefined, until }
  if (next !== undefined) return { ...silent, state: 'ended', outcome: 'lost', until: next.from }
  if (!isLast) return { ...silent, state: 'ended', outcome: undefined }
  const { state, outcome: ended } = standing
  if (state === 'running') return { ...silent, state, outcome: undefined }
  const outcome = { lost: 'lost', retry: 'failed', ended } as const
  return { ...silent, state: 'ended', outcome: outcome[state] }
}

/** What has attempts of its own: a token, or a stage of a run. */
interface Attempted {
  readonly lane: string
  readonly request: string
  readonly of: TokenFacts | StageFacts
}

export function attemptedIn(facts: Facts): readonly Attempted[] {
  switch (facts.kind) {
    case 'request':
    case 'key':
      return [{ lane: laneOf(facts.of), request: splitId(facts.pk).rest, of: facts }]
    case 'flow':
      return facts.run === undefined ? [] : stagesOf(facts.of, facts.run)
    case 'deadRun':
      return stagesOf(facts.of, facts)
    default:
      return []
  }
}

function stagesOf(
  flow: string,
  { request, stages }: Pick<DeadRunFacts, 'request' | 'stages'>,
): readonly Attempted[] {
  return stages.map((stage) => ({ lane: `${flow}.${stage.name}`, request, of: stage }))
}

/** The log has the name of a key, and the table also its tenant. */
export function laneOf(owner: string): string {
  const [name = ''] = owner.split('@')
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** What the table says of the last attempt in a lane. */
export interface Standing {
  readonly lane: string
  readonly request: string
  readonly attempt: number | undefined
  readonly beganAt: number | undefined
  /**
   * `running`. `lost`: its lease has ended. `retry`: it failed, and the next attempt is due at `until`. `ended`: it has ended, as
   * `outcome` says.
   */
  readonly state: 'running' | 'lost' | 'retry' | 'ended'
  readonly outcome: 'succeeded' | 'dead' | 'unknown' | undefined
  /** End of its lease, or when the next attempt may begin. */
  readonly until: number | undefined
}

export function standingsOf(facts: readonly Facts[]): readonly Standing[] {
  return facts
    .flatMap(attemptedIn)
    .filter(({ of }) => of.status !== 'coming')
    .map(({ lane, request, of }) => ({ lane, request, ...standingOf(of) }))
}

function standingOf(of: TokenFacts | StageFacts): Omit<Standing, 'lane' | 'request'> {
  const { status, leaseUntil } = of
  const { attempt, beganAt, due } =
    'fence' in of
      ? { attempt: of.attempt || undefined, beganAt: of.claimedAt, due: of.notBefore }
      : of
  const common = { attempt, beganAt, outcome: undefined }
  switch (status) {
    case 'running':
    case 'lost':
      return { ...common, state: status, until: leaseUntil }
    case 'waiting':
    case 'overdue':
      return { ...common, state: 'retry', until: due }
    default:
      return { ...common, state: 'ended', outcome: OUTCOMES[status], until: undefined }
  }
}

/** How the last attempt ended, by status. The end of a freed one is not known. */
const OUTCOMES: Readonly<Partial<Record<Attempted['of']['status'], Standing['outcome']>>> = {
  done: 'succeeded',
  unknown: 'unknown',
  dying: 'dead',
  dead: 'dead',
  error: 'dead',
}
