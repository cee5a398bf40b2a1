import { session } from '../api.ts'
import { Map, useGraph } from '../map/Map.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'

/** Topics, queues, consumers and dead-letter queues, with what has failed at each. */
export function MapPage() {
  const { graph, failure } = useGraph()
  // A pasted link can lead to a page that this console does not have.
  if (session.value?.live !== true) {
    return (
      <Empty title="There is a map beside handlers that run here.">
        <code>lineclear dev FILE</code> and a local cloud with <code>--console</code> have one.
      </Empty>
    )
  }
  if (graph === undefined) return failure === undefined ? <Skeleton /> : <Failure of={failure} />
  return (
    <>
      {failure !== undefined && <Failure of={failure} />}
      <Map graph={graph} />
    </>
  )
}
