import type { Box, Link } from './spot.ts'

/** The longest way to each box, over the links that close no circle; what begins a way stands just before what it leads to. */
export function columnsOf(boxes: readonly Box[], links: readonly Link[]): Map<string, number> {
  const columns = new Map<string, number>()
  const entered = new Set<string>()
  const forward: Link[] = []
  const after = Map.groupBy(links, ({ from }) => from)
  const order: string[] = []
  const visit = (id: string): void => {
    if (columns.has(id)) return
    columns.set(id, 0)
    entered.add(id)
    for (const link of after.get(id) ?? []) {
      if (entered.has(link.to)) continue
      forward.push(link)
      visit(link.to)
    }
    entered.delete(id)
    order.unshift(id)
  }
  const isLedTo = new Set(links.map(({ to }) => to))
  for (const { id } of boxes) if (!isLedTo.has(id)) visit(id)
  for (const { id } of boxes) visit(id)
  const next = Map.groupBy(forward, ({ from }) => from)
  const columnOf = (id: string): number => columns.get(id) ?? 0
  for (const id of order) {
    for (const { to } of next.get(id) ?? []) {
      columns.set(to, Math.max(columnOf(to), columnOf(id) + 1))
    }
  }
  const hasBefore = new Set(forward.map(({ to }) => to))
  for (const id of order) {
    const targets = (next.get(id) ?? []).map(({ to }) => columnOf(to))
    if (!hasBefore.has(id) && targets.length > 0) columns.set(id, Math.min(...targets) - 1)
  }
  return columns
}
