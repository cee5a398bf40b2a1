/** For each node the nodes that it points to, each with what the arrow stands for. */
export type Graph = Map<string, Map<string, string>>

/** @returns a shortest cycle through the first node of each knot, as its arrows */
export function cycles(graph: Graph): string[][] {
  const left = withoutEnds(graph)
  const found: string[][] = []
  for (const node of left) {
    const cycle = shortestCycle(graph, node)
    if (cycle === undefined) continue
    found.push(cycle)
    const reached = reachableFrom(graph, node)
    // A node that is reached and leads back is in the same strongly connected component.
    for (const other of reached) if (reachableFrom(graph, other).has(node)) left.delete(other)
  }
  return found
}

/** @returns the nodes that are left when those that lead to none are taken away, until all lead to one */
function withoutEnds(graph: Graph): Set<string> {
  const left = new Set(graph.keys())
  let before: number
  do {
    before = left.size
    for (const node of left) {
      const isEnd = ![...(graph.get(node)?.keys() ?? [])].some((next) => left.has(next))
      if (isEnd) left.delete(node)
    }
  } while (left.size < before)
  return left
}

function shortestCycle(graph: Graph, start: string): string[] | undefined {
  const ways = new Map<string, string[]>([[start, []]])
  for (const [node, way] of ways) {
    for (const [next, arrow] of graph.get(node) ?? []) {
      if (next === start) return [...way, arrow]
      if (!ways.has(next)) ways.set(next, [...way, arrow])
    }
  }
  return undefined
}

function reachableFrom(graph: Graph, start: string): ReadonlySet<string> {
  const reached = new Set([start])
  for (const node of reached) for (const next of graph.get(node)?.keys() ?? []) reached.add(next)
  return reached
}
