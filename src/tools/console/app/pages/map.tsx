import { AccountMap } from '../map/AccountMap.tsx'
import { MapViews } from '../map/MapViews.tsx'
import { useGraph } from '../map/useGraph.ts'
import { Failure, Skeleton } from '../parts/standIns.tsx'
import { session } from '../session.ts'

export function MapPage() {
  return session.value?.live === true ? <LiveMap /> : <AccountMap />
}

function LiveMap() {
  const { graph, failure } = useGraph()
  if (graph === undefined) return failure === undefined ? <Skeleton /> : <Failure of={failure} />
  return (
    <>
      {failure !== undefined && <Failure of={failure} />}
      <MapViews graph={graph} />
    </>
  )
}
