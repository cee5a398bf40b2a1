import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { DevConsumerState } from '../../dev/index.ts'
import type { Faults as Injected } from '../../../../testing/local/faults/faults.ts'
import { Failure } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { setFault } from './devState.ts'
import { KillNext } from './KillNext.tsx'
import { useTry } from './useTry.ts'
import { percentOf, probabilityOf } from '../parts/words.ts'

/** What can be turned up, in the words of `mapQueue({ faults })`. */
const KINDS = [
  [
    'kill',
    'kill',
    'Each call, half before it leaves and half after it took effect; and before the messages are deleted',
  ],
  ['loseAnswer', 'lose answer', 'Each attempt of a call: it takes effect, and the SDK tries again'],
  [
    'throttle',
    'throttle',
    'Each attempt of a call: refused without effect, and the SDK tries again',
  ],
  ['conflict', 'conflict', 'Each call that writes to DynamoDB: another transaction holds an item'],
  ['duplicate', 'duplicate', 'Each message: a second invocation gets it at the same time'],
] as const

/** Longer than between two steps of a slider that is dragged, milliseconds. */
const SETTLES = 150

interface FaultsProps {
  readonly of: DevConsumerState
  /** It is open from the start: the others are, if something is turned up. */
  readonly first: boolean
}

/** The faults of one consumer. */
export function Faults({ of: consumer, first }: FaultsProps) {
  const { queue, functionName, faults, running, paused } = consumer
  const [draft, setDraft] = useState<Injected | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const wanted = useRef<Injected>(undefined)
  const { failure, run } = useTry()
  useEffect(() => () => clearTimeout(timer.current), [])
  const shown = draft ?? faults
  const change = (changes: Partial<Injected>): void => {
    const next = { ...shown, ...changes }
    setDraft(next)
    wanted.current = next
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      run(async () => {
        await setFault({ consumer: queue, faults: next })
        // Meanwhile it may have been dragged on.
        if (wanted.current === next) setDraft(undefined)
      })
    }, SETTLES)
  }
  const on = [
    ...KINDS.filter(([name]) => (shown[name] ?? 0) > 0).map(
      ([name, title]) => `${title} ${percentOf(shown[name])} %`,
    ),
    ...(shown.shuffle === true ? ['out of order'] : []),
  ]
  const [isOpen, setOpen] = useState(first || on.length > 0)
  return (
    <details class="faults" open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        <b>
          <Text of={queue} />
        </b>
        <span class="faint">
          <Text of={functionName === queue ? '' : `by ${functionName} `} />
          {paused ? 'paused' : running > 0 ? `${running} running` : ''}
        </span>
        {!isOpen && on.length > 0 && <span class="tone-warn">{on.join(' · ')}</span>}
      </summary>
      <div class="fault-list">
        {KINDS.map(([name, title, help]) => (
          <Chance
            key={name}
            title={title}
            help={help}
            percent={percentOf(shown[name])}
            change={(percent) => change({ [name]: probabilityOf(percent) })}
          />
        ))}
        <label class="chance check" title="Messages arrive in another order">
          <span>out of order</span>
          <input
            type="checkbox"
            checked={shown.shuffle === true}
            onChange={({ currentTarget: { checked } }) => change({ shuffle: checked })}
          />
        </label>
      </div>
      <div class="fault-tools">
        <KillNext of={consumer} />
        {on.length > 0 && (
          <button
            type="button"
            class="quiet"
            onClick={() =>
              change({
                kill: 0,
                loseAnswer: 0,
                throttle: 0,
                conflict: 0,
                duplicate: 0,
                shuffle: false,
              })
            }
          >
            all off
          </button>
        )}
      </div>
      {failure !== undefined && <Failure of={failure} />}
    </details>
  )
}

interface ChanceProps {
  readonly title: string
  readonly help: string
  readonly percent: number
  change(percent: number): void
}

/** A slider for a rough value, and a field for an exact one. */
function Chance({ title, help, percent, change }: ChanceProps) {
  const id = useId()
  return (
    <div class={percent > 0 ? 'chance on' : 'chance'} title={help}>
      <label for={id}>{title}</label>
      <input
        type="range"
        min="0"
        max="100"
        step="1"
        value={percent}
        aria-label={`${title}, percent`}
        onInput={({ currentTarget: { valueAsNumber } }) => change(valueAsNumber)}
      />
      <span class="percent">
        <input
          id={id}
          type="number"
          min="0"
          max="100"
          step="any"
          inputMode="decimal"
          value={percent}
          onChange={({ currentTarget: { valueAsNumber } }) => change(valueAsNumber)}
        />
        <span aria-hidden="true">%</span>
      </span>
    </div>
  )
}
