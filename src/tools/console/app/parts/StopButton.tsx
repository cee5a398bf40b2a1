import { useState } from 'preact/hooks'
import { ApiError, postAnswer } from '../api.ts'
import { refresh } from '../live.ts'
import { ApiFailure } from './standIns.tsx'

interface StopButtonProps {
  readonly plan: string
  /** It was stopped already, and is on its way to its next safe point. */
  readonly stopping?: boolean | undefined
}

/** Stops what this console applies, as Ctrl-C does in a terminal: it ends behind its present item, and goes on later. */
export function StopButton({ plan, stopping = false }: StopButtonProps) {
  const [asked, setAsked] = useState(false)
  const [failure, setFailure] = useState<ApiError>()
  const stop = async (): Promise<void> => {
    setAsked(true)
    setFailure(undefined)
    try {
      await postAnswer('stop', { plan })
      refresh()
    } catch (error) {
      setAsked(false)
      setFailure(ApiError.of(error))
    }
  }
  return (
    <>
      <button type="button" disabled={asked || stopping} onClick={() => void stop()}>
        {asked || stopping ? 'Stopping…' : 'Stop'}
      </button>
      {failure !== undefined && <ApiFailure of={failure} again={() => void stop()} />}
    </>
  )
}
