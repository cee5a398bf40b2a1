import { useState } from 'preact/hooks'
import type { DevCall, DevConsumerState, KillNext as Aim } from '../../dev/index.ts'
import { Failure } from '../parts/Failure.tsx'
import { plainText } from '../parts/safeText.ts'
import { setFault } from './devState.ts'
import { aimAt, stillThere } from './aim.ts'
import { Aimed } from './Aimed.tsx'
import { useTry } from './useTry.ts'

/** Kills one invocation at a call that is chosen. */
export function KillNext({ of: consumer }: { readonly of: DevConsumerState }) {
  const { queue, calls, killNext } = consumer
  const [picked, setAt] = useState('')
  const at = stillThere(calls, picked)
  const [when, setWhen] = useState<'before' | 'after'>('after')
  const { busy, failure, run } = useTry()
  const aim: Aim = { ...aimAt(calls[Number(at) - 1], calls), when }
  if (killNext !== undefined) return <Aimed of={consumer} />
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
      <button
        type="button"
        disabled={busy}
        onClick={() => run(async () => setFault({ consumer: queue, killNext: aim }))}
      >
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
