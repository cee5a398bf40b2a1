import type { FoundQueue } from '../../../../operator/dlq/index.ts'
import { counted } from '../../parts/counted.ts'
import { lookPrice } from './lookPrice.ts'

interface LookButtonProps {
  /** undefined: not known yet. */
  readonly queues: readonly FoundQueue[] | undefined
  /** The only queue that is looked at; '': all. */
  readonly queue: string
  readonly ask: () => void
}

/** In an account a look is bought. */
export function LookButton({ queues, queue, ask }: LookButtonProps) {
  const price = queues && lookPrice(queues, queue)
  return (
    <div class="empty">
      <p class="empty-title">Nothing was received yet.</p>
      <p>
        Looking receives the dead letters: that costs requests to SQS, and hides each from other
        readers for up to a minute.
      </p>
      <p>
        <button type="button" class="main" onClick={ask}>
          {price === undefined
            ? 'Look at them'
            : `Look at ${counted(price.letters, 'dead letter')}: about ${counted(price.requests, 'request')} to SQS`}
        </button>
      </p>
    </div>
  )
}
