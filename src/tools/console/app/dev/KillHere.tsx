import type { KillNext } from '../../dev/index.ts'
import { Failure } from '../parts/Failure.tsx'
import { Text } from '../parts/Text.tsx'
import { Aimed } from './Aimed.tsx'
import { devState, setFault, useDev } from './devState.ts'
import { type AttemptDrawn, type KillPoint, killPointsOf } from './killPoints.ts'
import { useTry } from './useTry.ts'

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
