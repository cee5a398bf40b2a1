import { useState } from 'preact/hooks'
import type { DevCall, DevConsumerState, KillNext as Aim } from '../../dev/index.ts'
import { Failure } from '../parts/Failure.tsx'
import { Text } from '../parts/Text.tsx'
import { plainText } from '../parts/safeText.ts'
import { setFault } from './devState.ts'
import { aimAt, aimWords, stillThere } from './aim.ts'
import { useTry } from './useTry.ts'

/** Kills one invocation at a call that is chosen. */
export function KillNext({ of: { queue, calls, killNext } }: { readonly of: DevConsumerState }) {
  const [picked, setAt] = useState('')
  const at = stillThere(calls, picked)
  const [when, setWhen] = useState<'before' | 'after'>('after')
  const { busy, failure, run } = useTry()
  const aim: Aim = { ...aimAt(calls[Number(at) - 1]), when }
  const set = (next: Aim | null): void =>
    run(async () => setFault({ consumer: queue, killNext: next }))
  if (killNext !== undefined) {
    return (
      <p class="kill-next" role="status">
        <span class="tone-warn">
          <span class="glyph" aria-hidden="true">
            ◎
          </span>{' '}
          <Text of={`kills the next invocation ${aimWords(killNext)}`} />
        </span>
        <button type="button" disabled={busy} onClick={() => set(null)}>
          Take back
        </button>
        {failure !== undefined && <Failure of={failure} />}
      </p>
    )
  }
  return (
    <p class="kill-next">
      <select
        aria-label={`${queue}: before or after the call`}
        value={when}
        onChange={({ currentTarget: { value } }) =>
          setWhen(value === 'before' ? 'before' : 'after')
        }
      >
        <option value="after">after</option>
        <option value="before">before</option>
      </select>
      <select
        aria-label={`${queue}: the call`}
        value={at}
        onChange={({ currentTarget: { value } }) => setAt(value)}
      >
        <option value="">any call</option>
        {calls.map((call, index) => (
          <option key={index} value={index + 1}>
            {index + 1}. {plainText(nameOf(call))}
          </option>
        ))}
      </select>
      <button type="button" disabled={busy} onClick={() => set(aim)}>
        Kill next call
      </button>
      {failure !== undefined && <Failure of={failure} />}
    </p>
  )
}

const MOST = 60

function nameOf({ words }: DevCall): string {
  return words.length > MOST ? `${words.slice(0, MOST)}…` : words
}
