/** A time above the plot, and the line through it. */
export interface Tick {
  /** From 0 at the left to 100 at the right. */
  readonly at: number
  /** UTC. @example '17:28:25' */
  readonly label: string
}

/** A stretch of time that is drawn to scale, epoch milliseconds. */
interface Stretch {
  readonly from: number
  readonly to: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** What people count in, milliseconds. */
const STEPS = [
  [1, 2, 5, 10, 20, 50, 100, 200, 500],
  [1, 2, 5, 10, 15, 30].map((each) => each * SECOND),
  [1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  [1, 2, 3, 6, 12].map((each) => each * HOUR),
].flat()
/** Percent. On a narrow screen a label has no less room. */
const APART = 20

/**
 * Round times in what is drawn to scale, and the second in which each stretch begins.
 * @param unit percent for a millisecond
 */
export function ticksOf(
  stretches: readonly Stretch[],
  unit: number,
  at: (time: number) => number,
): readonly Tick[] {
  const step = stepFor(unit)
  const begins = stretches.map(({ from }) => ({ at: at(from), label: labelOf(from, SECOND) }))
  const round = stretches.flatMap(({ from, to }) =>
    timesIn(from, to, step).map((time) => ({ at: at(time), label: labelOf(time, step) })),
  )
  const taken: Tick[] = []
  for (const tick of [...begins, ...round]) {
    if (taken.every((each) => Math.abs(each.at - tick.at) >= APART)) taken.push(tick)
  }
  return taken.toSorted((one, other) => one.at - other.at)
}

/** The shortest that leaves room for a label; whole days if none does. */
function stepFor(unit: number): number {
  const found = STEPS.find((step) => step * unit >= APART)
  return found ?? DAY * Math.max(1, Math.ceil(APART / (DAY * unit)))
}

function timesIn(from: number, to: number, step: number): readonly number[] {
  const first = Math.ceil(from / step) * step
  const count = Math.max(0, Math.floor((to - first) / step) + 1)
  return Array.from({ length: count }, (_, nth) => first + nth * step)
}

function labelOf(time: number, step: number): string {
  const iso = new Date(time).toISOString()
  if (step >= DAY) return iso.slice(5, 10)
  if (step >= MINUTE) return iso.slice(11, 16)
  return step >= SECOND ? iso.slice(11, 19) : iso.slice(16, 23)
}
