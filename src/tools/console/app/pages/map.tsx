import { Map, useGraph } from '../map/Map.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { session } from '../api.ts'

/** Topics, queues, consumers and dead-letter queues, with what has failed at each. */
export function MapPage() {
  const { graph, failure } = useGraph()
  if (graph === undefined) return failure === undefined ? <Skeleton /> : <Failure of={failure} />
  if (graph.nodes.length === 0) {
    return (
      <Empty title="There is nothing to draw.">
        No queue has a dead-letter queue, and no consumer has an open item.
      </Empty>
    )
  }
  return (
    <>
      {failure !== undefined && <Failure of={failure} />}
      <Map graph={graph} />
      {session.value?.live !== true && (
        <p class="faint">
          Consumers and flows with open items, and queues that have a dead-letter queue. A consumer
          is drawn behind the queue of its name.
        </p>
      )}
    </>
  )
}
