import type { Explained } from '../answers.ts'
import { Empty } from '../parts/standIns.tsx'
import { Map } from './Map.tsx'
import { reachedBy } from './reached.ts'
import { useGraph } from './useGraph.ts'

/** Where messages go. */
export function MapPart() {
  const { graph } = useGraph()
  return graph === undefined || graph.nodes.length === 0 ? null : <Map graph={graph} />
}

/** The way of a request, by what is stored of it: what it has not come to is grey. */
export function RequestMap({ of }: { readonly of: Explained['explained'] }) {
  const { graph } = useGraph()
  if (graph === undefined || graph.nodes.length === 0) {
    return <Empty title="The queues are not known." />
  }
  const facts = of.map((item) => item.facts)
  return <Map graph={graph} reached={reachedBy(graph, facts)} />
}
