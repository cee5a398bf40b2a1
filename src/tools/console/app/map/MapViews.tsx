import { Empty } from '../parts/standIns.tsx'
import { tabOf, Tabs } from '../parts/Tabs.tsx'
import type { Graph } from './graph.ts'
import { Map } from './Map.tsx'
import { MapTable } from './MapTable.tsx'

const TABS = [
  { name: 'map', title: 'Map' },
  { name: 'table', title: 'Table' },
]

/** The map and its table. */
export function MapViews({ graph }: { readonly graph: Graph }) {
  return (
    <>
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
