import type { Route, Spot } from './spot.ts'

export interface Column {
  readonly left: number
  readonly width: number
}

/** How far a link that leads back hangs below its boxes. Pixels. */
export const SAG = 16

/** As SVG writes it: from the right side of a box to the left side of the next, or below them back. */
export function pathOf({ spots, isBack }: Route, columns: readonly Column[]): string {
  const [first, ...rest] = spots
  const last = rest.at(-1)
  if (first === undefined || last === undefined) return ''
  const left = ({ column }: Spot): number => columns[column]?.left ?? 0
  if (isBack) {
    const [from, to] = [left(first) + first.width / 2, left(last) + last.width / 2]
    const low = SAG + Math.max(...spots.map(({ y, height }) => y + height / 2))
    const [start, end] = [first.y + first.height / 2, last.y + last.height / 2]
    return `M${from} ${start}C${from} ${low} ${to} ${low} ${to} ${end}`
  }
  let x = left(first) + first.width
  let { y } = first
  const parts = [`M${x} ${y}`]
  for (const spot of rest) {
    const middle = (x + left(spot)) / 2
    parts.push(`C${middle} ${y} ${middle} ${spot.y} ${left(spot)} ${spot.y}`)
    x = left(spot)
    ;({ y } = spot)
    if (spot.id !== undefined) continue
    x += columns[spot.column]?.width ?? 0
    parts.push(`H${x}`)
  }
  return parts.join('')
}
