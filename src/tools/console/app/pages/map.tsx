import { MapPart } from '../map/MapPart.tsx'
import { MapTable } from '../map/MapTable.tsx'
import { useGraph } from '../map/useGraph.ts'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { tabOf, Tabs } from '../parts/Tabs.tsx'
import { session } from '../session.ts'

const TABS = [
  { name: 'map', title: 'Map' },
  { name: 'table', title: 'Table' },
]

/** Topics, queues, consumers and dead-letter queues, with what has failed at each. */
export function MapPage() {
  const { graph, failure } = useGraph()
  return (
    <>
      {failure !== undefined && <Failure of={failure} />}
      {graph === undefined && failure === undefined && <Skeleton />}
      {graph !== undefined && graph.nodes.length === 0 && (
        <Empty title="There is nothing to draw.">
          No queue has a dead-letter queue, and no consumer has an open item.
        </Empty>
      )}
      {graph !== undefined && graph.nodes.length > 0 && (
        <>
          <Tabs label="Views" parameter="view" tabs={TABS} />
          {tabOf('view', TABS) === 'map' ? <MapPart /> : <MapTable graph={graph} />}
          {session.value?.live !== true && (
            <p class="faint">
              Consumers and flows with open items, and queues that have a dead-letter queue. A
              consumer is drawn behind the queue of its name.
            </p>
          )}
        </>
      )}
    </>
  )
}
