import { columnsOf } from './columns.ts'
import { type Column, pathOf, SAG } from './linkPath.ts'
import { placePart } from './placePart.ts'
import { type Box, type Link, type Route, ROW_GAP, type Spot } from './spot.ts'

export interface Placed {
  readonly width: number
  readonly height: number
  /** The upper left corner of each box. */
  readonly boxes: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  /** The path of each link, as SVG writes it, by its place in the list. */
  readonly paths: readonly string[]
}

/** Room for an arrow, and for the dots on it to be seen. */
const COLUMN_GAP = 52

/**
 * Places boxes in columns from left to right, so that links lead to the right where they can, with few crossings. Parts that are
 * not linked stand below each other. For a few dozens of boxes: its time grows with the square of their number.
 */
export function layOut(boxes: readonly Box[], links: readonly Link[]): Placed {
  const known = new Set(boxes.map(({ id }) => id))
  const sound = links.filter(({ from, to }) => from !== to && known.has(from) && known.has(to))
  const columnOf = columnsOf(boxes, sound)
  const spots = new Map<string, Spot>()
  for (const box of boxes) {
    spots.set(box.id, { ...box, column: columnOf.get(box.id) ?? 0, y: 0, before: [], after: [] })
  }
  const routes = new Map(sound.map((link) => [link, routeOf(link, spots)] as const))
  const all = new Set([...spots.values(), ...[...routes.values()].flatMap((route) => route.spots)])
  let top = 0
  for (const part of partsOf(all)) top = placePart(part, top) + ROW_GAP * 2
  const columns = widthsOf([...all])
  const last = columns.at(-1)
  return {
    width: last === undefined ? 0 : last.left + last.width,
    height: Math.max(0, top - ROW_GAP * 2) + SAG,
    boxes: new Map(
      boxes.map(({ id, height }) => {
        const { column = 0, y = 0 } = spots.get(id) ?? {}
        return [id, { x: columns[column]?.left ?? 0, y: y - height / 2 }]
      }),
    ),
    paths: links.map((link) => {
      const route = routes.get(link)
      return route === undefined ? '' : pathOf(route, columns)
    }),
  }
}

function widthsOf(spots: readonly Spot[]): readonly Column[] {
  const widths: number[] = []
  for (const { column, width } of spots) widths[column] = Math.max(widths[column] ?? 0, width)
  let left = -COLUMN_GAP
  let before = 0
  return Array.from(widths, (width = 0) => {
    left += before + COLUMN_GAP
    before = width
    return { left, width }
  })
}

function routeOf({ from, to }: Link, spots: ReadonlyMap<string, Spot>): Route {
  const [one, other] = [spots.get(from) as Spot, spots.get(to) as Spot]
  const isBack = one.column >= other.column
  const [left, right] = isBack ? [other, one] : [one, other]
  const way: Spot[] = [left]
  for (let column = left.column + 1; column < right.column; column += 1) {
    way.push({ id: undefined, width: 0, height: 0, column, y: 0, before: [], after: [] })
  }
  if (right !== left) way.push(right)
  for (const [at, spot] of way.entries()) {
    const next = way[at + 1]
    // In one column nothing draws them to each other.
    if (next === undefined || next.column === spot.column) continue
    spot.after.push(next)
    next.before.push(spot)
  }
  return { spots: isBack ? way.toReversed() : way, isBack }
}

function partsOf(all: ReadonlySet<Spot>): readonly (readonly Spot[])[] {
  const seen = new Set<Spot>()
  return [...all]
    .map((start) => {
      const part = new Set(seen.has(start) ? [] : [start])
      for (const spot of part) for (const each of [...spot.before, ...spot.after]) part.add(each)
      for (const spot of part) seen.add(spot)
      return [...part]
    })
    .filter((part) => part.length > 0)
}
