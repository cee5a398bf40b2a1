import { attemptBars } from './attemptBars.ts'
import { attemptsOf, type LaneEvent } from './attempts.ts'
import type { Facts } from './facts.ts'
import { madeMarks } from './madeMarks.ts'
import { laneOf, type Standing, standingsOf } from './standings.ts'
import type { EventKind, TimelineEvent } from './timelineEvent.ts'
import { waitBars } from './waitBars.ts'
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
  return [...new Set([...groups.keys(), ...standing.keys()])].flatMap((name) =>
    attemptBars(attemptsOf(groups.get(name) ?? [], standing.get(name)), now),
  )
}

/** These are bars, or ends of bars. */
const IN_BARS: ReadonlySet<EventKind> = new Set(['began', 'ended', 'settled', 'waits', 'other'])

function markOf(event: LaneEvent): readonly LaneMark[] {
  const { at, lane, request, kind, until, messageId, what, why } = event
  if (IN_BARS.has(kind) || (kind === 'deferred' && until !== undefined)) return []
  const label = why === undefined ? what : `${what}: ${why}`
  return [{ at, lane, request, kind, messageId, label, state: undefined }]
}

/** A mark stands on the attempt during which it was made, and without a time on the last attempt of its request. */
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
