import type { FoundQueue } from '../../../../operator/dlq/index.ts'
import { ChoiceFilter, TextFilter } from '../../parts/fields.tsx'

const REASONS = [
  ['', 'any reason'],
  // As consumers write them.
  ...[
    'exhausted',
    'terminal',
    'rejected',
    'unknown',
    'conflict',
    'too old',
    'moved',
    'wrong consumer',
    'abandoned',
    'busy',
  ].map((reason) => [reason, reason] as const),
] as const

/** Each filter is a parameter of the URL. */
export function LetterFilters({ queues }: { readonly queues: readonly FoundQueue[] }) {
  const names = queues.map(
    ({ name, visible, inFlight, delayed }) =>
      [name, `${name} (${visible + inFlight + delayed})`] as const,
  )
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <ChoiceFilter name="queue" label="Queue" options={[['', 'all queues'], ...names]} />
      <ChoiceFilter name="reason" label="Reason" options={REASONS} />
      <TextFilter name="match" label="In the body or the error" hint="in body or error" />
      <TextFilter name="olderThan" label="Older than" hint="older than 2h" look="short" />
      <TextFilter name="id" label="Request or message id" hint="id" />
    </form>
  )
}
