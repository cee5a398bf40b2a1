import { copy } from '../../parts/toast.tsx'
import { address, setQuery } from '../../route.ts'
import { archiveCommand, givenOf, refusedAgain } from './selection.ts'
import { counted } from '../../parts/words.ts'
import { type Asked, planChange } from '../../parts/plans.ts'
import { plainText } from '../../parts/safeText.ts'

interface LetterActionsProps {
  /** How many the change is about; undefined: the plan counts them. */
  readonly count: number | undefined
  /** SQS message ids. None: all that the URL selects. */
  readonly chosen: ReadonlySet<string>
  /** Why they were dead-lettered. */
  readonly reasons: readonly string[]
}

/** What can be done with dead letters: with the chosen ones, else with all that the page selects. */
export function LetterActions({ count, chosen, reasons }: LetterActionsProps) {
  const given = givenOf(address.value.query, chosen)
  const scope = { given, count }
  const which =
    count === undefined ? 'all' : count === 1 ? 'it' : `${chosen.size > 0 ? '' : 'all '}${count}`
  const refused = refusedAgain(reasons)
  return (
    <p class="actions">
      {refused !== undefined && <span class="tone-warn">! {refused}</span>}
      <button
        type="button"
        class={refused === undefined ? 'main' : ''}
        onClick={() => redrive(scope)}
      >
        Redrive {which}…
      </button>
      <button type="button" onClick={() => redrive(scope, true)}>
        redrive with options…
      </button>
      <button type="button" onClick={() => discard(scope)}>
        Discard {which}…
      </button>
      <button
        type="button"
        class="quiet"
        title={plainText(archiveCommand(given))}
        onClick={() => void copy(archiveCommand(given), 'Command')}
      >
        copy archive command
      </button>
    </p>
  )
}

type Given = Readonly<Record<string, unknown>>

/** What a change is about. */
interface Scope {
  readonly given: Given
  readonly count: number | undefined
}

const ELSEWHERE: readonly Asked[] = [
  {
    name: 'to',
    label: 'Target queue (default: the source queue of each)',
    kind: 'text',
    hint: 'name, URL or ARN',
    optional: true,
  },
  {
    name: 'rate',
    label: 'Highest rate in dead letters a second; starts with 1, 2, 5, 10 … (default: 50)',
    kind: 'number',
    hint: '50',
    optional: true,
  },
  {
    name: 'stopAfter',
    label: 'Stop after this many failures among the first 100 (default: 3)',
    kind: 'number',
    hint: '3',
    optional: true,
  },
]

const KEEP: readonly Asked[] = [
  {
    name: 'keep',
    label: 'Can be restored for (default: 30d)',
    kind: 'text',
    hint: '30d',
    optional: true,
  },
]

/** @param ask for another queue, a rate and when to stop, before the plan is made */
function redrive({ given, count }: Scope, ask = false): void {
  planChange({
    action: 'dlq.redrive',
    given,
    title: `Redrive ${lettersOf(count)}`,
    ...(ask && { ask: ELSEWHERE }),
    applied: chooseNone,
  })
}

function discard({ given, count }: Scope): void {
  const title = `Discard ${lettersOf(count)}`
  planChange({ action: 'dlq.discard', given, title, ask: KEEP, applied: chooseNone })
}

function lettersOf(count: number | undefined): string {
  return count === undefined ? 'all dead letters of the selection' : counted(count, 'dead letter')
}

/** They are gone, or have other message ids. */
function chooseNone(): void {
  setQuery({ chosen: undefined }, { replace: true })
}
