import { useEffect, useState } from 'preact/hooks'
import { ApiError, open } from '../api.ts'
import { refreshes } from '../live.ts'
import { activity, frames } from '../stream/stream.ts'
import type { Graph } from './graph.ts'

interface Asked {
  readonly graph: Graph | undefined
  /** Status 404: nobody has told this console what there is. */
  readonly failure: ApiError | undefined
}

/** The map, asked for again when a function begins or ends to read a queue. */
export function useGraph(): Asked {
  const [asked, setAsked] = useState<Asked>({ graph: undefined, failure: undefined })
  const turn = refreshes.value
  // Read so that a change of the stream is seen.
  void frames.value
  const { changes } = activity
  useEffect(() => {
    const abort = new AbortController()
    void ask(abort.signal).then((answer) => {
      if (abort.signal.aborted) return
      setAsked((before) => ({ graph: before.graph, failure: undefined, ...answer }))
    })
    return () => abort.abort()
  }, [changes, turn])
  return asked
}

async function ask(signal: AbortSignal): Promise<Partial<Asked>> {
  try {
    const response = await open('/api/map', { signal })
    return { graph: (await response.json()) as Graph }
  } catch (error) {
    return { failure: error instanceof ApiError ? error : new ApiError(500, String(error)) }
  }
}
