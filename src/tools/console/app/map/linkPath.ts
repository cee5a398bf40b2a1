import type { Route, Spot } from './spot.ts'

export interface Column {
  readonly left: number
  readonly width: number
}

/** How far a link that leads back hangs below the boxes that it passes. Pixels. */
export const SAG = 13
const BEND = 22

/** Paths, as SVG writes them. */
export interface Arrow {
  readonly line: string
  readonly head: string
}

/**
 * From the right side of a box to the left side of the next, or below the boxes back.
 * @param part all spots that are linked with these
 */
export function arrowOf(route: Route, columns: readonly Column[], part: readonly Spot[]): Arrow {
  const { to, isBack } = route
  const left = leftOf(to, columns)
  return isBack
    ? {
        line: backPath(route, columns, part),
        head: `M${left + to.width / 2} ${bottomOf(to)}l-3.5 7h7z`,
      }
    : { line: forwardPath(route, columns), head: `M${left} ${to.y}l-7 -3.5v7z` }
}

function forwardPath({ from, to, way }: Route, columns: readonly Column[]): string {
  let x = leftOf(from, columns) + from.width
  let { y } = from
  const parts = [`M${x} ${y}`]
  for (const spot of [...way, to]) {
    const left = leftOf(spot, columns)
    const middle = (x + left) / 2
    parts.push(`C${middle} ${y} ${middle} ${spot.y} ${left} ${spot.y}`)
    ;({ y } = spot)
    x = left + (columns[spot.column]?.width ?? 0)
    if (spot !== to) parts.push(`H${x}`)
  }
  return parts.join('')
}

function backPath({ from, to }: Route, columns: readonly Column[], part: readonly Spot[]): string {
  const isNext = from.column - to.column <= 1
  const passed = part.filter(({ column }) => column <= from.column && column >= to.column)
  const low = SAG + Math.max(...(isNext ? [from, to] : passed).map(bottomOf))
  const [start, end] = [from, to].map((spot) => leftOf(spot, columns) + spot.width / 2)
  if (start === undefined || end === undefined) return ''
  return [
    `M${start} ${bottomOf(from)}C${start} ${low} ${start} ${low} ${start - BEND} ${low}`,
    `H${end + BEND}C${end} ${low} ${end} ${low} ${end} ${bottomOf(to)}`,
  ].join('')
}

function leftOf({ column }: Spot, columns: readonly Column[]): number {
  return columns[column]?.left ?? 0
}

function bottomOf({ y, height }: Spot): number {
  return y + height / 2
}
