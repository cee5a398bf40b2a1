import type { DevConsumerState } from '../../dev/index.ts'
import { Failure } from '../parts/Failure.tsx'
import { Text } from '../parts/Text.tsx'
import { aimWords } from './aim.ts'
import { setFault } from './devState.ts'
import { useTry } from './useTry.ts'

/** The kill that waits for its call, if there is one. */
export function Aimed({ of: { queue, killNext } }: { readonly of: DevConsumerState }) {
  const { busy, failure, run } = useTry()
  if (killNext === undefined) return null
  return (
    <p class="kill-next" role="status">
      <span class="tone-warn">
        <span class="glyph" aria-hidden="true">
          ◎
        </span>{' '}
        <Text of={`kills the next invocation ${aimWords(killNext)}`} />
      </span>
      <button
        type="button"
        disabled={busy}
        onClick={() => run(async () => setFault({ consumer: queue, killNext: null }))}
      >
        Cancel
      </button>
      {failure !== undefined && <Failure of={failure} />}
    </p>
  )
}
