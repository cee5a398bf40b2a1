import { Map } from '../map/Map.tsx'
import { MapTable } from '../map/MapTable.tsx'
import { useGraph } from '../map/useGraph.ts'
import type { Page } from '../page.ts'
import { Empty } from '../parts/Empty.tsx'
import { Failure } from '../parts/Failure.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { tabOf, Tabs } from '../parts/Tabs.tsx'

export const map: Page = { path: '/map', title: 'Map', View: MapPage }

const TABS = [
  { name: 'map', title: 'Map' },
  { name: 'table', title: 'Table' },
]

function MapPage() {
  const { graph, failure } = useGraph()
  if (failure?.status === 404) {
    return (
      <Empty title="This console knows no map.">
        The local cloud tells it what there is; an account does not.
      </Empty>
    )
  }
  if (graph === undefined) return failure === undefined ? <Skeleton /> : <Failure of={failure} />
  return (
    <>
      {failure !== undefined && <Failure of={failure} />}
      <Tabs label="Views" parameter="view" tabs={TABS} />
      {graph.nodes.length === 0 ? (
        <Empty title="There are no queues and no topics." />
      ) : tabOf('view', TABS) === 'map' ? (
        <Map graph={graph} />
      ) : (
        <MapTable graph={graph} />
      )}
    </>
  )
}
