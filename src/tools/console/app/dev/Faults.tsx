import { useId, useState } from 'preact/hooks'
import type { OutsideState } from '../../../../testing/local/dev/outsideSystems.ts'
import type { DevConsumerState, DevOutside } from '../../dev/types.ts'
import type { Faults as Injected } from '../../../../testing/local/faults/faults.ts'
import { Checkbox } from '../parts/fields.tsx'
import { ApiFailure } from '../parts/standIns.tsx'
import { setFault, useTry } from './devState.ts'
import { counted, percentOf, probabilityOf } from '../parts/words.ts'
import { Glyph } from '../parts/Status.tsx'
import { aimWords } from './callMark.ts'

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

const NONE: Injected = {
  ...Object.fromEntries(KINDS.map(([name]) => [name, 0])),
  shuffle: false,
}

interface FaultsProps {
  readonly of: DevConsumerState
  /** It is open from the start: the others are, if something is turned up. */
  readonly first: boolean
}

export function Faults({ of: consumer, first }: FaultsProps) {
  const { queue, functionName, faults, running, paused } = consumer
  const { failure, run } = useTry()
  const change = (changes: Injected): void =>
    run(async () => setFault({ consumer: queue, faults: changes }))
  const on = [
    ...KINDS.filter(([name]) => (faults[name] ?? 0) > 0).map(
      ([name, title]) => `${title} ${percentOf(faults[name])} %`,
    ),
    ...(faults.shuffle === true ? ['out of order'] : []),
  ]
  const [isOpen, setOpen] = useState(first || on.length > 0)
  return (
    <details class="faults" open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>
        <b>{queue}</b>
        <span class="faint">
          {functionName === queue ? '' : `by ${functionName} `}
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
            percent={percentOf(faults[name])}
            change={(percent) => change({ [name]: probabilityOf(percent) })}
          />
        ))}
        <Checkbox
          label="out of order"
          help="Messages arrive in another order"
          checked={faults.shuffle === true}
          change={(shuffle) => change({ shuffle })}
        />
      </div>
      <div class="bar">
        <KillNext of={consumer} />
        {on.length > 0 && (
          <button type="button" class="quiet" onClick={() => change(NONE)}>
            all off
          </button>
        )}
      </div>
      {failure !== undefined && <ApiFailure of={failure} />}
    </details>
  )
}

interface ChanceProps {
  readonly title: string
  readonly help: string
  readonly percent: number
  change(percent: number): void
}

function Chance({ title, help, percent, change }: ChanceProps) {
  const id = useId()
  return (
    <div class={percent > 0 ? 'chance on' : 'chance'} title={help}>
      <label for={id}>{title}</label>
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
    </div>
  )
}

/** Kills one invocation at its next call. Calls of an invocation offer to be the one. */
function KillNext({ of: { queue, killNext } }: { readonly of: DevConsumerState }) {
  const { busy, failure, run } = useTry()
  const isAimed = killNext !== undefined
  return (
    <div class="row" role="status">
      {isAimed && (
        <span class="tone-warn">
          <Glyph of="◎" /> {`kills the next invocation ${aimWords(killNext)}`}
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
      {failure !== undefined && <ApiFailure of={failure} />}
    </div>
  )
}

const STATES: readonly (readonly [OutsideState, string, string])[] = [
  ['up', 'up', 'It answers'],
  ['down', 'down', 'No connection'],
  ['slow', 'slow', 'It answers after two seconds'],
  [
    'answerLost',
    'answer lost',
    'It carries the request out, and the connection breaks before its answer',
  ],
]

export function Outside({ of: { name, url, state, calls } }: { readonly of: DevOutside }) {
  const { failure, run } = useTry()
  const [wish, setWish] = useState<OutsideState | undefined>(undefined)
  const set = (next: OutsideState): void => {
    setWish(next)
    run(async () => setFault({ outside: name, state: next }).finally(() => setWish(undefined)))
  }
  return (
    <fieldset class="outside">
      <legend>
        <b>{name}</b>
        <span class="faint" title={url}>
          {counted(calls, 'request')} carried out
        </span>
      </legend>
      {STATES.map(([value, word, help]) => (
        <label key={value} class="check" title={help}>
          <input
            type="radio"
            name={`outside ${name}`}
            value={value}
            checked={(wish ?? state) === value}
            onChange={() => set(value)}
          />
          <span>{word}</span>
        </label>
      ))}
      {failure !== undefined && <ApiFailure of={failure} />}
    </fieldset>
  )
}
