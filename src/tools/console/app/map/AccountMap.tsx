import { AsCommand } from '../parts/AsCommand.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { session } from '../session.ts'
import { useAnswer } from '../useAnswer.ts'
import type { Graph } from './graph.ts'
import { MapViews } from './MapViews.tsx'

/** The map of a console without live events: of its template, or else of what the table shows. */
export function AccountMap() {
  const { answer, failure, loading, refresh } = useAnswer<Graph>('map', {})
  return (
    <>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading && <Skeleton />}
      {answer !== undefined && <Drawn graph={answer} />}
      {answer?.source === 'table' && <AsCommand of={answer} />}
    </>
  )
}

function Drawn({ graph }: { readonly graph: Graph }) {
  if (graph.source === 'table' && graph.nodes.length === 0) {
    return (
      <Empty title="The console has no data for a map.">
        The table has no open request, and the console was started without a template. Start it with{' '}
        <code>--template FILE</code>: the template that you deploy.
      </Empty>
    )
  }
  return (
    <>
      <p class="faint">{graph.source === 'table' ? <FromTable /> : <FromTemplate />}</p>
      <MapViews graph={graph} />
    </>
  )
}

function FromTable() {
  return (
    <>
      Drawn from the table: the consumers and flows that have open requests. For queues, topics and
      all functions, start the console with <code>--template FILE</code>.
    </>
  )
}

function FromTemplate() {
  const files = session.value?.mapFiles ?? []
  return (
    <>
      Drawn from <Text of={files.join(', ')} />, with its names: what is to be deployed, without
      counts. An arrow from a function leads to where its role lets it send.
    </>
  )
}
