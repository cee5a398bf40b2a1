import type { Standing } from './fates.ts'
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
  /** Of `running` and `lost`: the end of its lease. Of `failed`: when the next attempt may begin. */
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

interface Draft {
  readonly lane: string
  readonly request: string | undefined
  readonly attempt: number
  readonly from: number
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
  // The table repeats the end that the log has told; a later line of the log corrects an earlier one.
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
  switch (standing.state) {
    case 'running':
      return { ...silent, state: 'running', outcome: undefined }
    case 'lost':
      return { ...silent, state: 'ended', outcome: 'lost' }
    case 'retry':
      return { ...silent, state: 'ended', outcome: 'failed' }
    case 'ended':
      return { ...silent, state: 'ended', outcome: standing.outcome }
  }
}
