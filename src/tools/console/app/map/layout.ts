import { columnsOf } from './columns.ts'
import { type Arrow, arrowOf, type Column, SAG } from './linkPath.ts'
import { placePart } from './placePart.ts'
import { type Box, type Link, type Route, ROW_GAP, type Spot } from './spot.ts'

export interface Placed {
  readonly width: number
  readonly height: number
  /** The upper left corner of each box. */
  readonly boxes: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  /** By the places of the links in their list; undefined: an end of it is not there. */
  readonly arrows: readonly (Arrow | undefined)[]
}

/** Room for an arrow, and for the dots on it to be seen. */
const COLUMN_GAP = 44

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
  const all = new Set([...spots.values(), ...[...routes.values()].flatMap(({ way }) => way)])
  const parts = partsOf(all)
  let top = 0
  for (const part of parts) top = placePart(part, top) + ROW_GAP * 2
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
    arrows: links.map((link) => {
      const route = routes.get(link)
      const part = parts.find((spots) => route !== undefined && spots.includes(route.from))
      return route === undefined || part === undefined ? undefined : arrowOf(route, columns, part)
    }),
  }
}

function widthsOf(spots: readonly Spot[]): readonly Column[] {
  const widths: number[] = []
  for (const { column, width } of spots) widths[column] = Math.max(widths[column] ?? 0, width)
  let left = -COLUMN_GAP
  let before = 0
  return Array.from(widths, (width) => {
    left += before + COLUMN_GAP
    before = width
    return { left, width }
  })
}

function routeOf(link: Link, spots: ReadonlyMap<string, Spot>): Route {
  const [from, to] = [spots.get(link.from) as Spot, spots.get(link.to) as Spot]
  if (from.column >= to.column) return { from, to, way: [], isBack: true }
  const way: Spot[] = []
  for (let column = from.column + 1; column < to.column; column += 1) {
    way.push({ id: undefined, width: 0, height: 0, column, y: 0, before: [], after: [] })
  }
  let last = from
  for (const spot of [...way, to]) {
    last.after.push(spot)
    spot.before.push(last)
    last = spot
  }
  return { from, to, way, isBack: false }
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
