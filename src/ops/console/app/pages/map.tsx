import { Map } from '../map/Map.tsx'
import { MapTable } from '../map/MapTable.tsx'
import { graphOf, type MapAnswer } from '../map/mapAnswer.ts'
import type { Page } from '../page.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { Empty } from '../parts/Empty.tsx'
import { Failure } from '../parts/Failure.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { tabOf, Tabs } from '../parts/Tabs.tsx'
import { useAnswer } from '../useAnswer.ts'

export const map: Page = { path: '/map', title: 'Map', View: MapPage }

const TABS = [
  { name: 'map', title: 'Map' },
  { name: 'table', title: 'Table' },
]

function MapPage() {
  const { answer, failure, loading, refresh } = useAnswer<MapAnswer>('map', {}, { every: 30_000 })
  if (loading) return <Skeleton />
  const graph = answer && graphOf(answer)
  return (
    <>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {graph !== undefined && (
        <>
          <Tabs label="Views" parameter="view" tabs={TABS} />
          {graph.nodes.length === 0 ? (
            <Empty title="Nothing is known of the queues." />
          ) : tabOf('view', TABS) === 'map' ? (
            <Map graph={graph} />
          ) : (
            <MapTable graph={graph} />
          )}
        </>
      )}
      <AsCommand of={answer} />
    </>
  )
}
