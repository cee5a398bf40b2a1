import { address, setQuery } from '../../route.ts'
import { questions } from '../../api.ts'
import { givenOf, refusedAgain } from './selection.ts'
import { valueOf } from '../../address.ts'
import { onlySource, useQueues } from '../../counts.ts'
import { discardTitle, redriveTitle } from '../../parts/adviceStep.ts'
import { PlanButton } from '../../parts/StepButton.tsx'

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
  const about = { count, to: onlySource(queue) }
  const refused = refusedAgain(reasons)
  const redrive = { action: 'dlq.redrive', given, title: redriveTitle(about), applied: chooseNone }
  const discard = { action: 'dlq.discard', given, title: discardTitle(about), applied: chooseNone }
  return (
    <p class="actions">
      {refused !== undefined && <span class="tone-warn">! {refused}</span>}
      <PlanButton of={redrive} main={refused === undefined} />
      <PlanButton
        of={{ ...redrive, ask: questions('dlq.redrive', 'to', 'rate', 'stopAfter') }}
        words="redrive with options"
      />
      <PlanButton of={{ ...discard, ask: questions('dlq.discard', 'keep') }} />
    </p>
  )
}

/** They are gone, or have other message ids. */
function chooseNone(): void {
  setQuery({ chosen: undefined }, { replace: true })
}
