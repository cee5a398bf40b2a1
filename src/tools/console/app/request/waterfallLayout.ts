import type { InJson } from '../../../operator/explain/explain.ts'
import type { Waterfall } from '../../../operator/explain/waterfall.ts'

export type Drawn = InJson<Waterfall>
export type Bar = Drawn['bars'][number]
export type LaneMark = Drawn['marks'][number]

/** A span of time, epoch milliseconds. */
interface Span {
  readonly from: number
  readonly to: number
}

/** A bar, pixels from the left of the plot. `line`: which line of its lane, from 0. */
export interface PlacedBar {
  readonly bar: Bar
  readonly x: number
  readonly width: number
  readonly line: number
  /** Where its marks with a time stand. */
  readonly marks: readonly { readonly x: number; readonly mark: Bar['marks'][number] }[]
  /** The end that was planned, if it lies behind the bar and in sight: a lease that was not released. */
  readonly until: number | undefined
}

export interface PlacedLane {
  readonly name: string
  readonly lines: number
  readonly bars: readonly PlacedBar[]
  readonly marks: readonly { readonly x: number; readonly mark: LaneMark }[]
}

interface Layout {
  readonly lanes: readonly PlacedLane[]
  readonly ticks: readonly { readonly x: number; readonly at: number }[]
  /** Of the ticks, milliseconds. */
  readonly step: number
  /** Where the axis leaves a time out in which nothing happened. */
  readonly breaks: readonly { readonly x: number; readonly length: number }[]
  /** Bars that are in sight and not drawn. */
  readonly left: number
}

/** A bar can be seen and pointed at, however short, pixels. */
const LEAST = 3
/** More bars are no picture. */
const MOST = 600
/** Between two ticks, pixels. */
const TICK = 96

/** The whole time of a waterfall, with some room at both ends. */
export function wholeSpan({ from, to }: Drawn): Span {
  const begin = Date.parse(from ?? '')
  const end = Date.parse(to ?? '')
  if (Number.isNaN(begin) || Number.isNaN(end)) return { from: 0, to: 1 }
  // Longer, it would be a quiet time by itself.
  const room = Math.max(5, Math.min((end - begin) * 0.02, 500))
  return { from: begin - room, to: end + room }
}

/** Places everything of a span on a plot of a width. Bars of a lane that overlap stand below one another. */
export function layOut(waterfall: Drawn, { from, to }: Span, width: number): Layout {
  const axis = axisOf(waterfall, { from, to }, width)
  const x = (time: string): number => axis.x(Date.parse(time))
  const isIn = (left: number, right: number): boolean => right >= 0 && left <= width
  const seen = waterfall.bars.filter((bar) => isIn(x(bar.from), x(bar.to)))
  const lanes = waterfall.lanes.map((name) => {
    const ends: number[] = []
    const bars = seen.slice(0, MOST).flatMap((bar) => {
      if (bar.lane !== name) return []
      const left = Math.max(0, x(bar.from))
      const right = Math.min(width, Math.max(x(bar.to), left + LEAST))
      const free = ends.findIndex((end) => end <= left)
      const line = free === -1 ? ends.length : free
      ends[line] = right
      return [place(bar, { left, right, line }, x, width)]
    })
    const marks = waterfall.marks.flatMap((mark) => {
      const at = mark.lane === name && mark.at !== undefined ? x(mark.at) : -1
      return at >= 0 && at <= width ? [{ x: at, mark }] : []
    })
    return { name, lines: Math.max(1, ends.length), bars, marks }
  })
  const step = tickStep(axis.busy / Math.max(1, Math.floor(width / TICK)))
  return {
    lanes,
    ticks: axis.stretches.flatMap((stretch) => ticksOf(stretch, step, axis.x)),
    step,
    breaks: axis.breaks,
    left: Math.max(0, seen.length - MOST),
  }
}

function place(
  bar: Bar,
  { left, right, line }: { readonly left: number; readonly right: number; readonly line: number },
  x: (time: string) => number,
  width: number,
): PlacedBar {
  const until = bar.until === undefined ? undefined : x(bar.until)
  return {
    bar,
    x: left,
    width: right - left,
    line,
    marks: bar.marks.flatMap((mark) =>
      mark.at === undefined ? [] : [{ x: Math.min(right, Math.max(left, x(mark.at))), mark }],
    ),
    until: until !== undefined && until > right && until <= width ? until : undefined,
  }
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000,
]
const DAY = 86_400_000

/** @returns a step that reads well, at least `least` milliseconds */
export function tickStep(least: number): number {
  return STEPS.find((each) => each >= least) ?? DAY * Math.ceil(least / DAY)
}

function ticksOf({ from, to }: Span, step: number, x: (at: number) => number): Layout['ticks'] {
  const ticks: { x: number; at: number }[] = []
  for (let at = Math.ceil(from / step) * step; at < to; at += step) ticks.push({ x: x(at), at })
  return ticks
}

interface Axis {
  x(at: number): number
  /** The times that are drawn to scale. */
  readonly stretches: readonly Span[]
  readonly breaks: Layout['breaks']
  /** Of the stretches together, milliseconds. */
  readonly busy: number
}

/** A shorter quiet time is always drawn to scale, milliseconds. */
const QUIET = 60_000
/** So many times as long as all the rest: the rest could not be told apart. */
const TOO_LONG = 8
/** Of a break, pixels. */
const BREAK = 64

/** Real time to scale, but for quiet times that are so long that what happened before and after them would be a stroke each. */
function axisOf({ bars, marks }: Drawn, { from, to }: Span, width: number): Axis {
  const times = [...bars.flatMap((bar) => [bar.from, bar.to]), ...marks.map(({ at = '' }) => at)]
    .map((time) => Date.parse(time))
    .filter((time) => time > from && time < to)
  const ends = [...new Set([from, ...times, to])].toSorted((one, other) => one - other)
  const gaps = ends.slice(1).map((end, at): Span => ({ from: ends[at] ?? end, to: end }))
  let busy = 0
  const long = new Set<Span>()
  for (const gap of gaps.toSorted((one, other) => lengthOf(one) - lengthOf(other))) {
    if (lengthOf(gap) >= QUIET && busy > 0 && lengthOf(gap) > TOO_LONG * busy) long.add(gap)
    else busy += lengthOf(gap)
  }
  // With nothing beside it there is nothing that it hides.
  const isDrawn = (gap: Span): boolean =>
    bars.some((bar) => Date.parse(bar.from) <= gap.from && Date.parse(bar.to) >= gap.to)
  if (!gaps.some((gap) => !long.has(gap) && isDrawn(gap))) {
    for (const gap of long) busy += lengthOf(gap)
    long.clear()
  }
  const scale = Math.max(0, width - long.size * BREAK) / Math.max(1, busy)
  let left = 0
  const placed = gaps.map((gap) => {
    const room = long.has(gap) ? BREAK : lengthOf(gap) * scale
    left += room
    return { gap, left: left - room, room }
  })
  const first = placed[0]
  return {
    busy,
    stretches: gaps.filter((gap) => !long.has(gap)),
    breaks: placed
      .filter(({ gap }) => long.has(gap))
      .map(({ gap, left: x }) => ({ x: x + BREAK / 2, length: lengthOf(gap) })),
    x: (at) => {
      const {
        gap,
        left: begin,
        room,
      } = placed.findLast((each) => each.gap.from <= at) ??
        first ?? { gap: { from, to }, left: 0, room: width }
      return begin + ((at - gap.from) / Math.max(1, lengthOf(gap))) * room
    },
  }
}

function lengthOf({ from, to }: Span): number {
  return to - from
}

/** The time of a tick in UTC, as exact as its step. */
export function tickLabel(at: number, step: number): string {
  const iso = new Date(at).toISOString()
  if (step >= DAY) return iso.slice(5, 10)
  if (step >= 60_000) return iso.slice(11, 16)
  return step >= 1_000 ? iso.slice(11, 19) : iso.slice(11, 23)
}

/** Whether the text of a tick has room: none stands on another one, or on that of a break. */
export function hasRoom(x: number, { ticks, breaks, step }: Layout, end: number): boolean {
  const room = step >= 1_000 ? 56 : 84
  const others = [...ticks.map((tick) => tick.x), ...breaks.map((each) => each.x - 24), end]
  const next = Math.min(...others.filter((other) => other > x))
  const before = Math.max(...breaks.filter((each) => each.x <= x).map((each) => each.x + 24), -24)
  return next - x >= room && x >= before
}

/** @returns the bar that a key moves to, lane by lane; undefined: the key is the browser's, or there is no bar */
export function barAfter(
  key: string,
  lanes: readonly Pick<PlacedLane, 'bars'>[],
  chosen: Bar | undefined,
): Bar | undefined {
  const bars = lanes.flatMap((lane) => lane.bars.map(({ bar }) => bar))
  const at = bars.findIndex((each) => isSameBar(each, chosen))
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return bars[Math.min(at + 1, bars.length - 1)]
    case 'ArrowLeft':
    case 'ArrowUp':
      return bars[Math.max(at - 1, 0)]
    case 'Home':
      return bars[0]
    case 'End':
      return bars.at(-1)
    default:
      return undefined
  }
}

/** Each answer of the server has bars of its own. */
export function isSameBar(one: Bar, other: Bar | undefined): boolean {
  return one.lane === other?.lane && one.from === other.from && one.label === other.label
}
