import type { Explained } from '../answers.ts'
import type { Graph, GraphNode } from './graph.ts'

type Facts = Explained['explained'][number]['facts']

/** The ids of the nodes that a request has come to, by what is stored of it. */
export function reachedBy(graph: Graph, items: readonly Facts[]): ReadonlySet<string> {
  const reached = new Set<string>()
  const fed = (id: string): void => {
    // What feeds it was passed: a message comes from nowhere else.
    for (const { from, to } of graph.edges) {
      const source = graph.nodes.find((node) => node.id === from)
      const isPlace = source?.kind === 'queue' || source?.kind === 'topic'
      if (to !== id || !isPlace || reached.has(from)) continue
      reached.add(from)
      if (source.kind === 'queue') fed(from)
    }
  }
  for (const node of graph.nodes) {
    const states = items.map((facts) => stateOf(node, facts))
    if (states.includes('reached')) reached.add(node.id)
    if (states.some((state) => state !== 'far')) fed(node.id)
  }
  return reached
}

/** `coming`: its message is on the queue. */
function stateOf(node: GraphNode, facts: Facts): 'reached' | 'coming' | 'far' {
  if (node.kind === 'step') {
    const isIt = facts.kind === 'step' && facts.of === node.flow && facts.step === node.name
    return isIt ? 'reached' : 'far'
  }
  if (node.kind !== 'function') return 'far'
  if (facts.kind === 'request' || facts.kind === 'key' || facts.kind === 'event') {
    return (node.consumers ?? [node.name]).includes(facts.of) ? 'reached' : 'far'
  }
  const stages =
    facts.kind === 'flow' ? facts.run?.stages : facts.kind === 'deadRun' ? facts.stages : []
  const stage = stages?.find(({ name }) => facts.of === node.flow && name === node.stage)
  if (stage === undefined) return 'far'
  return stage.status === 'coming' ? 'coming' : 'reached'
}
