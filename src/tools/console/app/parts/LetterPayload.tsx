import { useState } from 'preact/hooks'
import type { Hidden } from '../../hide.ts'
import { useAnswer } from '../useAnswer.ts'
import { Body } from './Json.tsx'
import { ApiFailure, Skeleton } from './standIns.tsx'

interface LetterPayloadProps {
  readonly queue: string
  /** Id of the request, or of the SQS message. */
  readonly id: string
}

/** It may hold personal data, and to see it receives its dead letter: only when a person asks. */
export function LetterPayload(props: LetterPayloadProps) {
  const [isAsked, setAsked] = useState(false)
  if (isAsked) return <AskedPayload {...props} />
  return (
    <p class="actions">
      <button type="button" onClick={() => setAsked(true)}>
        Show the payload
      </button>
      <span class="faint">It may hold personal data. Showing it receives its dead letter.</span>
    </p>
  )
}

interface Letters {
  readonly letters: readonly { readonly body?: string | Hidden; readonly payload?: string }[]
}

function AskedPayload({ queue, id }: LetterPayloadProps) {
  const { answer, failure, loading, refresh } = useAnswer<Letters>(
    'letters',
    { queue, id, body: '1' },
    0,
  )
  const [letter] = answer?.letters ?? []
  if (failure !== undefined) return <ApiFailure of={failure} again={refresh} />
  if (loading) return <Skeleton lines={2} />
  if (letter === undefined) return <p>Its dead letter is not on the queue any more.</p>
  if (letter.payload === undefined) return <Body of={letter.body} />
  return <p>It is not in the message: {letter.payload}</p>
}
