import type { Graph } from '../map/graph.ts'
import { Map } from '../map/Map.tsx'
import { useGraph } from '../map/useGraph.ts'
import { session } from '../session.ts'
import { useAnswer } from '../useAnswer.ts'

/** Where messages go, below what waits for a person. Without events and template only the map's own page reads the table for it. */
export function MapPart() {
  if (session.value?.live === true) return <LiveMap />
  return session.value?.mapFiles === undefined ? null : <TemplateMap />
}

function LiveMap() {
  return <Titled graph={useGraph().graph} />
}

function TemplateMap() {
  return <Titled graph={useAnswer<Graph>('map', {}).answer} />
}

function Titled({ graph }: { readonly graph: Graph | undefined }) {
  if (graph === undefined || graph.nodes.length === 0) return null
  return (
    <section>
      <h2 class="part-title">
        <a href="/map">Map</a>
      </h2>
      <Map graph={graph} />
    </section>
  )
}
