import { settle } from './settle.ts'
import type { Spot } from './spot.ts'

const SWEEPS = 12

/**
 * Orders and places spots that are linked to each other, so that the uppermost begins at `top`.
 * @returns their lower edge
 */
export function placePart(part: readonly Spot[], top: number): number {
  const columns = [...Map.groupBy(part, ({ column }) => column).entries()]
    .toSorted(([one], [other]) => one - other)
    .map(([, spots]) => spots)
  let best = columns
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const side = sweep % 2 === 0 ? 'before' : 'after'
    const tried = sorted(best, side)
    if (crossings(tried) <= crossings(best)) best = tried
  }
  for (const spots of best) settle(spots, () => 0)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const side = sweep % 2 === 0 ? 'before' : 'after'
    for (const spots of sweep % 2 === 0 ? best : best.toReversed()) {
      settle(spots, (spot) => mean(spot[side].map(({ y }) => y)) ?? spot.y)
    }
  }
  const upper = Math.min(...part.map(({ y, height }) => y - height / 2))
  for (const spot of part) spot.y += top - upper
  return Math.max(...part.map(({ y, height }) => y + height / 2))
}

/** Each column in the order of what it is linked to on one side. */
function sorted(columns: readonly Spot[][], side: 'before' | 'after'): Spot[][] {
  const places = new Map<Spot, number>()
  const note = (spots: readonly Spot[]): void => spots.forEach((spot, at) => places.set(spot, at))
  for (const spots of columns) note(spots)
  const inTurn = side === 'before' ? columns : columns.toReversed()
  const done = inTurn.map((spots) => {
    const wish = new Map(
      spots.map((spot, at) => [spot, mean(spot[side].map((each) => places.get(each) ?? 0)) ?? at]),
    )
    const next = spots.toSorted((one, other) => (wish.get(one) ?? 0) - (wish.get(other) ?? 0))
    note(next)
    return next
  })
  return side === 'before' ? done : done.toReversed()
}

function crossings(columns: readonly (readonly Spot[])[]): number {
  let count = 0
  for (const [at, spots] of columns.entries()) {
    const places = new Map((columns[at + 1] ?? []).map((spot, place) => [spot, place]))
    const ends = spots.map((spot) => spot.after.map((next) => places.get(next) ?? 0))
    for (const [upper, ofUpper] of ends.entries()) {
      for (const ofLower of ends.slice(upper + 1)) {
        for (const one of ofUpper) count += ofLower.filter((other) => other < one).length
      }
    }
  }
  return count
}

function mean(numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}
