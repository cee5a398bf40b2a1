import { type Query, valueOf } from '../../address.ts'
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
  const { letter, edit, ...list } = address.value.query
  const [queue, group] = [valueOf(list['queue']), valueOf(list['group'])]
  const isList = ['group', 'id', 'list'].some((name) => valueOf(list[name]) !== '')
  const ways: readonly (readonly [text: string, to: Query, is: boolean])[] = [
    ['all dead letters', {}, true],
    [queue, { queue }, queue !== ''],
    [group === '' ? 'one by one' : `group ${group}`, list, isList],
    ['dead letter', { ...list, letter }, valueOf(letter) !== ''],
    ['edit', { ...list, letter, edit }, valueOf(edit) !== ''],
  ]
  const last = ways.findLastIndex(([, , is]) => is)
  return (
    <nav class="crumbs" aria-label="Way back">
      {ways.map(
        ([text, to, is], at) =>
          is && (
            <a key={at} href={href('/letters', to)} aria-current={at === last ? 'page' : undefined}>
              {text}
            </a>
          ),
      )}
    </nav>
  )
}
