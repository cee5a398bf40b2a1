import { useEffect, useState } from 'preact/hooks'
import { ApiError, open } from '../api.ts'
import { refreshes } from '../live.ts'
import { activity, frames, useStream } from '../stream/stream.ts'
import { session } from '../session.ts'
import type { Graph } from './graph.ts'

interface Asked {
  readonly graph: Graph | undefined
  readonly failure: ApiError | undefined
}

/** Of a console without live events. */
const NONE: Asked = { graph: undefined, failure: undefined }

/** The live map, asked for again when a queue is seen for the first time, or a function begins or ends to read one. */
export function useGraph(): Asked {
  useStream()
  const [asked, setAsked] = useState<Asked>({ graph: undefined, failure: undefined })
  const turn = refreshes.value
  // Read so that a change of the stream is seen.
  void frames.value
  const { changes, depths, running } = activity
  const isLive = session.value?.live === true
  useEffect(() => {
    if (!isLive) return undefined
    const abort = new AbortController()
    void ask(abort.signal).then((answer) => {
      if (abort.signal.aborted) return
      setAsked((before) => ({ graph: before.graph, failure: undefined, ...answer }))
    })
    return () => abort.abort()
  }, [isLive, changes, depths.size, running.size, turn])
  return isLive ? asked : NONE
}

async function ask(signal: AbortSignal): Promise<Partial<Asked>> {
  try {
    const response = await open('/api/map', { signal })
    return { graph: (await response.json()) as Graph }
  } catch (error) {
    return { failure: error instanceof ApiError ? error : new ApiError(500, String(error)) }
  }
}
