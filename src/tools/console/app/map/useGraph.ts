import { useMemo } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { useQueues, useOpen } from '../counts.ts'
import { session } from '../session.ts'
import { useAnswer } from '../useAnswer.ts'
import { type Graph, graphOf } from './graph.ts'

interface Drawn {
  /** undefined: it is not known yet. The same one until something in it changes: to place its boxes takes time. */
  readonly graph: Graph | undefined
  readonly failure: ApiError | undefined
}

/** The map: of the events of a local cloud, else of what the table and the queues show. */
export function useGraph(): Drawn {
  const isLive = session.value?.live === true
  const live = useAnswer<Graph>('map', isLive ? {} : undefined)
  const stats = useOpen()
  const queues = useQueues()
  const known =
    stats.answer === undefined || (queues.answer ?? queues.failure) === undefined
      ? undefined
      : graphOf(stats.answer.counts, queues.answer?.queues ?? [])
  const graph = isLive ? live.answer : known
  const key = JSON.stringify([graph?.nodes, graph?.edges])
  return {
    graph: useMemo(() => graph, [key]),
    failure: isLive ? live.failure : (stats.failure ?? queues.failure),
  }
}
