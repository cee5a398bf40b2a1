import { Map } from '../map/Map.tsx'
import { useGraph } from '../map/useGraph.ts'

/** Where messages go, below what waits for a person. An account has no map, and then nothing stands here. */
export function MapPart() {
  const { graph } = useGraph()
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
