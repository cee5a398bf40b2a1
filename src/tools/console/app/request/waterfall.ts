import type { InJson } from '../../../operator/explain/explain.ts'
import type { Waterfall } from '../../../operator/explain/waterfall.ts'
import { type Tick, ticksOf } from './ticks.ts'

export type Drawn = InJson<Waterfall>
export type DrawnBar = Drawn['bars'][number]

interface Scale {
  /** Position of a time, from 0 at the left to 100 at the right. */
  at(time: string): number
  /** Where it leaves a time out in which nothing happened, and how long that was, milliseconds. */
  readonly breaks: readonly { readonly at: number; readonly length: number }[]
  readonly ticks: readonly Tick[]
}

/** A span of time, epoch milliseconds. */
interface Span {
  readonly from: number
  readonly to: number
}

/** A shorter quiet time is always drawn to scale, milliseconds. */
const QUIET = 60_000
/** A quiet time is shortened when it is so many times as long as all the rest, which would become one stroke. */
const TOO_LONG = 8
/** Width of one break, and largest width of all breaks together. Percent. */
const BREAK = 8
const BREAKS = 50

/** Real time to scale, but for quiet times that are so long that what happened before and after them would be a stroke each. */
export function scaleOf({ bars, marks }: Pick<Drawn, 'bars' | 'marks'>): Scale {
  const times = [...bars.flatMap(({ from, to }) => [from, to]), ...marks.map(({ at = '' }) => at)]
  const ends = [...new Set(times.map((time) => Date.parse(time)))]
    .filter((time) => !Number.isNaN(time))
    .toSorted((one, other) => one - other)
  const gaps = ends.slice(1).map((to, at): Span => ({ from: ends[at] ?? to, to }))
  const quiet = quietIn(gaps, bars)
  const room = Math.min(BREAK, BREAKS / Math.max(1, quiet.size))
  const busy = gaps.reduce((sum, gap) => sum + (quiet.has(gap) ? 0 : lengthOf(gap)), 0)
  const unit = (100 - quiet.size * room) / Math.max(1, busy)
  let left = 0
  const placed = gaps.map((gap) => {
    const width = quiet.has(gap) ? room : lengthOf(gap) * unit
    left += width
    return { gap, left: left - width, width }
  })
  const at = (time: number): number => {
    const found = placed.findLast(({ gap }) => gap.from <= time)
    if (found === undefined) return 0
    const part = (time - found.gap.from) / Math.max(1, lengthOf(found.gap))
    return Math.min(100, found.left + part * found.width)
  }
  return {
    at: (time) => at(Date.parse(time)),
    breaks: placed
      .filter(({ gap }) => quiet.has(gap))
      .map((each) => ({ at: each.left + room / 2, length: lengthOf(each.gap) })),
    ticks: ticksOf(joined(gaps.filter((gap) => !quiet.has(gap))), unit, at),
  }
}

/** What follows without a break is one. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = []
  for (const span of spans) {
    const last = all.at(-1)
    if (last?.to === span.from) all[all.length - 1] = { from: last.from, to: span.to }
    else all.push(span)
  }
  return all
}

function quietIn(gaps: readonly Span[], bars: readonly DrawnBar[]): ReadonlySet<Span> {
  let busy = 0
  const quiet = new Set<Span>()
  for (const gap of gaps.toSorted((one, other) => lengthOf(one) - lengthOf(other))) {
    if (lengthOf(gap) >= QUIET && busy > 0 && lengthOf(gap) > TOO_LONG * busy) quiet.add(gap)
    else busy += lengthOf(gap)
  }
  const isDrawn = ({ from, to }: Span): boolean =>
    bars.some((bar) => Date.parse(bar.from) <= from && Date.parse(bar.to) >= to)
  // With nothing beside it there is nothing that it hides.
  return gaps.some((gap) => !quiet.has(gap) && isDrawn(gap)) ? quiet : new Set()
}

function lengthOf({ from, to }: Span): number {
  return to - from
}

/** The same glyphs wherever a thing is shown, and what they mean. */
const MARKS = {
  effect: ['◆', 'effect'],
  call: ['●', 'call made'],
  callUnknown: ['?', 'call, outcome unknown'],
  callNotMade: ['○', 'call not made'],
  send: ['➤', 'sent'],
  dropped: ['▲', 'copy dropped'],
  deferred: ['△', 'copy deferred'],
  deadLettered: ['✖', 'dead letter'],
  operator: ['✎', 'operator'],
  other: ['·', 'other event'],
} as const

type Name = keyof typeof MARKS
type AnyMark = Pick<DrawnBar['marks'][number], 'kind' | 'state'>

function nameOf({ kind, state }: AnyMark): Name {
  if (kind === 'died') return 'deadLettered'
  if (kind === 'call' && state === 'unknown') return 'callUnknown'
  if (kind === 'call' && state === 'notMade') return 'callNotMade'
  return kind in MARKS ? (kind as Name) : 'other'
}

export function markGlyph(mark: AnyMark): string {
  return MARKS[nameOf(mark)][0]
}

/** Glyphs and meanings of the marks that occur. */
export function legendOf({
  bars,
  marks,
}: Drawn): readonly (readonly [glyph: string, means: string])[] {
  const names = new Set([...bars.flatMap((bar) => bar.marks), ...marks].map(nameOf))
  return [...names].map((name) => MARKS[name])
}
