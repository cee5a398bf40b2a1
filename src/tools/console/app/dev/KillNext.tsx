import type { DevConsumerState } from '../../dev/types.ts'
import { Failure } from '../parts/standIns.tsx'
import { Glyph } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { aimWords } from './callMark.ts'
import { setFault, useTry } from './devState.ts'

/** Kills one invocation at its next call. Calls of an invocation offer to be the one. */
export function KillNext({ of: { queue, killNext } }: { readonly of: DevConsumerState }) {
  const { busy, failure, run } = useTry()
  const isAimed = killNext !== undefined
  return (
    <div class="row" role="status">
      {isAimed && (
        <span class="tone-warn">
          <Glyph of="◎" /> <Text of={`kills the next invocation ${aimWords(killNext)}`} />
        </span>
      )}
      <button
        type="button"
        disabled={busy}
        onClick={() =>
          run(async () => setFault({ consumer: queue, killNext: isAimed ? null : {} }))
        }
      >
        {isAimed ? 'Cancel' : 'Kill next call'}
      </button>
      {failure !== undefined && <Failure of={failure} />}
    </div>
  )
}
