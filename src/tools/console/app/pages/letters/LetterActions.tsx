import { copy } from '../../parts/copy.ts'
import { plainText } from '../../parts/safeText.ts'
import { address } from '../../route.ts'
import { archiveCommand } from './archiveCommand.ts'
import { discard, redrive } from './changes.ts'
import { givenOf, refusedAgain } from './selection.ts'

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
