import { address, setQuery } from '../../route.ts'
import { questions } from '../../api.ts'
import { givenOf, refusedAgain } from './selection.ts'
import { valueOf } from '../../address.ts'
import { onlySource, useQueues } from '../../counts.ts'
import { type AboutLetters, discardTitle, redriveTitle } from '../../parts/adviceStep.ts'
import { planChange } from '../../parts/plans.ts'

interface LetterActionsProps {
  /** How many the change is about; undefined: the plan counts them. */
  readonly count: number | undefined
  /** SQS message ids. None: all that the URL selects. */
  readonly chosen: ReadonlySet<string>
  readonly reasons: readonly string[]
}

/** What can be done with dead letters: with the chosen ones, else with all that the page selects. */
export function LetterActions({ count, chosen, reasons }: LetterActionsProps) {
  const { query } = address.value
  const given = givenOf(query, chosen)
  const queue = useQueues().answer?.queues.find(({ name }) => name === valueOf(query['queue']))
  const scope = { given, count, to: onlySource(queue) }
  const refused = refusedAgain(reasons)
  return (
    <p class="actions">
      {refused !== undefined && <span class="tone-warn">! {refused}</span>}
      <button
        type="button"
        class={refused === undefined ? 'main' : ''}
        onClick={() => redrive(scope)}
      >
        {redriveTitle(scope)}…
      </button>
      <button type="button" onClick={() => redrive(scope, true)}>
        redrive with options…
      </button>
      <button type="button" onClick={() => discard(scope)}>
        {discardTitle(scope)}…
      </button>
    </p>
  )
}

type Given = Readonly<Record<string, unknown>>

interface Scope extends AboutLetters {
  readonly given: Given
}

/** @param ask for another queue, a rate and when to stop, before the plan is made */
function redrive(scope: Scope, ask = false): void {
  planChange({
    action: 'dlq.redrive',
    given: scope.given,
    title: redriveTitle(scope),
    ...(ask && { ask: questions('dlq.redrive', 'to', 'rate', 'stopAfter') }),
    applied: chooseNone,
  })
}

function discard(scope: Scope): void {
  const title = discardTitle(scope)
  planChange({
    action: 'dlq.discard',
    given: scope.given,
    title,
    ask: questions('dlq.discard', 'keep'),
    applied: chooseNone,
  })
}

/** They are gone, or have other message ids. */
function chooseNone(): void {
  setQuery({ chosen: undefined }, { replace: true })
}
