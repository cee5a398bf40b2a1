import { valueOf } from '../../address.ts'
import type { FoundQueue } from '../../../../operator/dlq/findQueues.ts'
import { ChoiceFilter, TextFilter } from '../../parts/fields.tsx'
import { address, href } from '../../route.ts'

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

export function Crumbs() {
  const { query } = address.value
  const { letter, edit, ...list } = query
  const [queue, group] = [valueOf(query['queue']), valueOf(query['group'])]
  const isList = ['group', 'id', 'list'].some((name) => valueOf(query[name]) !== '')
  const parts = [
    { text: 'all dead letters', to: href('/letters') },
    ...(queue === '' ? [] : [{ text: queue, to: href('/letters', { queue }) }]),
    ...(isList
      ? [{ text: group === '' ? 'one by one' : `group ${group}`, to: href('/letters', list) }]
      : []),
    ...(valueOf(letter) === ''
      ? []
      : [{ text: 'dead letter', to: href('/letters', { ...list, letter }) }]),
    ...(valueOf(edit) === '' ? [] : [{ text: 'edit', to: '' }]),
  ]
  return (
    <nav class="crumbs" aria-label="Way back">
      {parts.map(({ text, to }, at) =>
        at === parts.length - 1 ? (
          <span key={text} aria-current="page">
            {text}
          </span>
        ) : (
          <a key={text} href={to}>
            {text}
          </a>
        ),
      )}
    </nav>
  )
}
