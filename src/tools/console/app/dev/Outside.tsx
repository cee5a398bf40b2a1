import { useState } from 'preact/hooks'
import type { DevOutside, OutsideState } from '../../dev/types.ts'
import { Failure } from '../parts/standIns.tsx'
import { Text } from '../parts/Text.tsx'
import { counted } from '../parts/words.ts'
import { setFault, useTry } from './devState.ts'

const STATES: readonly (readonly [OutsideState, string, string])[] = [
  ['up', 'up', 'It answers'],
  ['down', 'down', 'No connection'],
  ['slow', 'slow', 'It answers late'],
  [
    'answerLost',
    'answer lost',
    'It carries the request out, and the connection breaks before its answer',
  ],
]

/** A system that handlers call by HTTP. */
export function Outside({ of: { name, url, state, slowMs, calls } }: { readonly of: DevOutside }) {
  const { failure, run } = useTry()
  const [wish, setWish] = useState<OutsideState | undefined>(undefined)
  const [typed, setTyped] = useState<number | undefined>(undefined)
  const set = (next: OutsideState, slow = typed ?? slowMs): void => {
    setWish(next)
    run(async () => {
      try {
        await setFault({ outside: name, state: next, ...(next === 'slow' && { slowMs: slow }) })
        setTyped(undefined)
      } finally {
        setWish(undefined)
      }
    })
  }
  return (
    <fieldset class="outside">
      <legend>
        <b>
          <Text of={name} />
        </b>
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
      <label class="check slow">
        <input
          type="number"
          min="0"
          step="100"
          aria-label={`${name}: how slow, milliseconds`}
          value={typed ?? slowMs}
          onChange={({ currentTarget: { valueAsNumber } }) => {
            setTyped(Number.isFinite(valueAsNumber) ? Math.max(0, valueAsNumber) : slowMs)
            if (state === 'slow') set('slow', valueAsNumber)
          }}
        />
        <span>ms</span>
      </label>
      {failure !== undefined && <Failure of={failure} />}
    </fieldset>
  )
}
