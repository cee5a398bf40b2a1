import {
  type AttemptSpan,
  attemptsOf,
  type LaneEvent,
  laneOf,
  type Standing,
  standingsOf,
} from './attempts.ts'
import type { Facts, StepFacts, DelayedFacts } from './facts.ts'
import { madeMarks } from './madeMarks.ts'
import type { EventKind, TimelineEvent, Outcome } from './timelineEvent.ts'
import type { Bar, LaneMark, Mark, Waterfall } from './waterfall.ts'

/**
 * What happened over time. The table alone shows the last attempt, waits and delays; the log adds earlier attempts, duplicates and
 * why.
 * @param events by their time
 */
export function waterfallOf(
  events: readonly TimelineEvent[],
  facts: readonly Facts[],
  now: number,
): Waterfall {
  const standings = standingsOf(facts)
  const known = inLanes(events, standings)
  const bars = [...barsOfAttempts(known, standings, now), ...waitBars(known, facts, now)].toSorted(
    (one, other) => one.from - other.from || one.to - other.to,
  )
  const marked = withMarks(bars, [...known.flatMap(markOf), ...madeMarks(facts)])
  const times = [
    ...marked.bars.flatMap(({ from, to }) => [from, to]),
    ...marked.marks.flatMap(({ at }) => at ?? []),
  ]
  return {
    from: times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other)),
    to: times.length === 0 ? undefined : times.reduce((one, other) => Math.max(one, other)),
    lanes: [...new Set([...marked.bars, ...marked.marks].map(({ lane }) => lane))],
    ...marked,
  }
}

/** Those that have a time. The lines of a key do not name it: they are of the one that is explained. */
function inLanes(
  events: readonly TimelineEvent[],
  standings: readonly Standing[],
): readonly LaneEvent[] {
  return events.flatMap(({ at, ...event }): LaneEvent[] => {
    if (at === undefined) return []
    const lane = laneOf(event.where)
    const request = event.request ?? onlyRequest(standings, lane)
    return [{ ...event, at, lane, request }]
  })
}

function onlyRequest(standings: readonly Standing[], lane: string): string | undefined {
  const own = standings.filter((standing) => standing.lane === lane)
  return own.length === 1 ? own[0]?.request : undefined
}

function barsOfAttempts(
  events: readonly LaneEvent[],
  standings: readonly Standing[],
  now: number,
): readonly Bar[] {
  const place = ({ lane, request }: Pick<LaneEvent, 'lane' | 'request'>): string =>
    JSON.stringify([lane, request])
  const groups = Map.groupBy(events, place)
  const standing = new Map(standings.map((each) => [place(each), each]))
  return [...new Set([...groups.keys(), ...standing.keys()])].flatMap((name) => {
    const spans = attemptsOf(groups.get(name) ?? [], standing.get(name))
    return spans.flatMap((span, at) => [
      attemptBar(span, now),
      ...gapAfter(span, spans[at + 1], now),
    ])
  })
}

/** These are bars, or ends of bars. */
const IN_BARS: ReadonlySet<EventKind> = new Set(['began', 'ended', 'settled', 'waits', 'other'])

function markOf(event: LaneEvent): readonly LaneMark[] {
  const { at, lane, request, kind, until, messageId, what, why } = event
  if (IN_BARS.has(kind) || (kind === 'deferred' && until !== undefined)) return []
  const label = why === undefined ? what : `${what}: ${why}`
  return [{ at, lane, request, kind, messageId, label, state: undefined }]
}

/** A mark is shown on the attempt during which it was made, and without a time on the last attempt of its request. */
function withMarks(
  bars: readonly Bar[],
  marks: readonly LaneMark[],
): Pick<Waterfall, 'bars' | 'marks'> {
  const placed = Map.groupBy(marks, (mark) => barOf(mark, bars))
  return {
    bars: bars.map((bar) => ({ ...bar, marks: (placed.get(bar) ?? []).map(withoutLane) })),
    marks: placed.get(undefined) ?? [],
  }
}

function barOf({ at, lane, request }: LaneMark, bars: readonly Bar[]): Bar | undefined {
  return bars.findLast(
    (bar) =>
      bar.kind === 'attempt' &&
      bar.lane === lane &&
      bar.request === request &&
      (at === undefined || (bar.from <= at && at <= bar.to)),
  )
}

function withoutLane({ lane: _lane, request: _request, ...mark }: LaneMark): Mark {
  return mark
}

function attemptBar(span: AttemptSpan, now: number): Bar {
  const { lane, request, attempt, from, to, state, outcome, why, until } = span
  const open = state === 'running'
  return {
    lane,
    kind: 'attempt',
    from,
    to: open ? Math.max(now, from) : to,
    open,
    until: open ? until : undefined,
    outcome,
    attempt,
    request,
    label: `attempt ${attempt}${open ? ': running' : outcome === undefined ? '' : `: ${OUTCOMES[outcome] ?? outcome}`}`,
    why,
    marks: [],
  }
}

const OUTCOMES: Readonly<Partial<Record<Outcome, string>>> = {
  dead: 'failed for good',
  unknown: 'unknown outcome',
  timedOut: 'timed out',
}

/** After a lost attempt its lease; after a failed one the time until the next. */
function gapAfter(
  { lane, request, attempt, to, outcome, until }: AttemptSpan,
  next: AttemptSpan | undefined,
  now: number,
): readonly Bar[] {
  const isLease = outcome === 'lost'
  if (!isLease && outcome !== 'failed' && outcome !== 'timedOut') return []
  const open = next === undefined && (!isLease || (until ?? 0) > now)
  const end = next?.from ?? (isLease ? Math.min(until ?? to, now) : now)
  if (end <= to) return []
  const bar = { ...PLAIN, lane, request, from: to, to: end, open, until }
  return isLease
    ? [{ ...bar, kind: 'lease', attempt, label: `lease of attempt ${attempt}` }]
    : [{ ...bar, kind: 'delay', attempt: next?.attempt, label: 'waits for the next attempt' }]
}

/** What waited while no attempt ran: steps, delayed messages, deferred deliveries, and a request that was not taken at once. */
function waitBars(
  events: readonly LaneEvent[],
  facts: readonly Facts[],
  now: number,
): readonly Bar[] {
  const began = events.filter(({ kind }) => kind === 'began' || kind === 'ended')
  return [
    ...facts.flatMap((each) => {
      if (each.kind === 'step') return stepBar(each, began, now)
      return each.kind === 'delayed' ? delayedBar(each, now) : []
    }),
    ...events.flatMap((event) => (event.kind === 'deferred' ? deferredBar(event, now) : [])),
    ...events.flatMap((event) => (event.kind === 'sent' ? queuedBar(event, began) : [])),
  ]
}

const PLAIN = {
  outcome: undefined,
  attempt: undefined,
  why: undefined,
  marks: [],
} as const

/** The table does not say when an answer came: its handler has begun then, as far as the log shows it. */
function stepBar(step: StepFacts, began: readonly LaneEvent[], now: number): readonly Bar[] {
  const { of, request, since, until, status } = step
  if (since === undefined) return []
  const lane = `${of}.${step.step}`
  const open = status === 'waiting' || status === 'overdue'
  const handled = began.find(
    (event) => event.lane === lane && event.request === request && event.at >= since,
  )
  const to = open ? now : (handled?.at ?? (status === 'timedOut' ? Math.min(until, now) : since))
  const label = `waits for the answer of step ${step.step}`
  return [{ ...PLAIN, lane, kind: 'wait', from: since, to, open, until, request, label }]
}

function delayedBar(delayed: DelayedFacts, now: number): readonly Bar[] {
  const { by, request, since, endedAt, due, status } = delayed
  if (since === undefined) return []
  const open = status !== 'sent' && status !== 'void'
  const to = open ? now : (endedAt ?? Math.min(due, now))
  const label = 'delayed message'
  return [{ ...PLAIN, lane: by, kind: 'delay', from: since, to, open, until: due, request, label }]
}

function deferredBar(event: LaneEvent, now: number): readonly Bar[] {
  const { at, until, lane, request, what } = event
  if (until === undefined || until <= at) return []
  const open = until > now
  const to = open ? now : until
  return [{ ...PLAIN, lane, kind: 'delay', from: at, to, open, until, request, label: what }]
}

/** From its first sending to its first attempt. */
function queuedBar(event: LaneEvent, began: readonly LaneEvent[]): readonly Bar[] {
  const { at, request } = event
  const first = began.find((each) => each.request === request && each.at >= at)
  if (first === undefined || first.at === at) return []
  const { lane } = first
  const label = 'on its queue'
  const bar = { lane, from: at, to: first.at, open: false, until: undefined, request, label }
  return [{ ...PLAIN, kind: 'wait', ...bar }]
}
