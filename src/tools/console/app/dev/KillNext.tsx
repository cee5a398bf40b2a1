import { useState } from 'preact/hooks'
import type { DevCall, DevConsumerState, KillNext, KillNext as Aim } from '../../dev/index.ts'
import { Failure } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { devState, setFault, useDev } from './devState.ts'
import {
  aimAt,
  aimWords,
  type AttemptDrawn,
  type KillPoint,
  killPointsOf,
  stillThere,
} from './aim.ts'
import { useTry } from './useTry.ts'
import { plainText } from '../parts/safeText.ts'

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

/** The kill that waits for its call, if there is one. */
function Aimed({ of: { queue, killNext } }: { readonly of: DevConsumerState }) {
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

/** Kills the next attempt at a call of this one. */
export function KillHere({ of }: { readonly of: AttemptDrawn }) {
  useDev()
  const { busy, failure, run } = useTry()
  const points = killPointsOf(of, devState.value?.consumers ?? [])
  if (points === undefined) return null
  const { consumer, marked, others } = points
  const { queue } = consumer
  const kill = (killNext: KillNext): void =>
    run(async () => setFault({ consumer: queue, killNext }))
  if (marked.length + others.length === 0) return null
  return (
    <section class="kill-here">
      <h4>
        Kill the next attempt of <Text of={of.lane} />
      </h4>
      <Aimed of={consumer} />
      <Points of={marked} busy={busy} kill={kill} />
      {others.length > 0 && (
        <details open={marked.length === 0}>
          <summary>Other calls that it makes</summary>
          <Points of={others} busy={busy} kill={kill} />
        </details>
      )}
      {failure !== undefined && <Failure of={failure} />}
    </section>
  )
}

interface PointsProps {
  readonly of: readonly KillPoint[]
  readonly busy: boolean
  kill(aim: KillNext): void
}

function Points({ of, busy, kill }: PointsProps) {
  return (
    <ul class="lines">
      {of.map(({ label, words, before, after }, at) => (
        <li key={at}>
          <span>
            <Text of={label} />
            {words !== undefined && words !== label && (
              <span class="faint">
                {' '}
                <Text of={words} />
              </span>
            )}
          </span>
          <span class="buttons">
            <button type="button" class="quiet" disabled={busy} onClick={() => kill(before)}>
              kill before
              <span class="unseen">
                {' '}
                <Text of={label} />
              </span>
            </button>
            <button type="button" class="quiet" disabled={busy} onClick={() => kill(after)}>
              kill after
              <span class="unseen">
                {' '}
                <Text of={label} />
              </span>
            </button>
          </span>
        </li>
      ))}
    </ul>
  )
}
