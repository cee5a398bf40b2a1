import { valueOf } from '../../address.ts'
import type { FoundQueue } from '../../../../operator/dlq/index.ts'
import { address, setQuery } from '../../route.ts'
import { plainText } from '../../parts/safeText.ts'

/** As consumers write them. */
const REASONS = [
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
]

/** Each filter is a parameter of the URL. A text counts once it is entered, since each look costs requests. */
export function LetterFilters({ queues }: { readonly queues: readonly FoundQueue[] }) {
  const { query } = address.value
  const queue = valueOf(query['queue'])
  const known = queues.some(({ name }) => name === queue)
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <select
        aria-label="Queue"
        value={queue}
        onChange={({ currentTarget: { value } }) => setQuery({ queue: value, chosen: undefined })}
      >
        <option value="">all queues</option>
        {queue !== '' && !known && <option value={queue}>{plainText(queue)}</option>}
        {queues.map((each) => (
          <option key={each.url} value={each.name}>
            {each.name} ({each.visible + each.inFlight + each.delayed})
          </option>
        ))}
      </select>
      <select
        aria-label="Reason"
        value={valueOf(query['reason'])}
        onChange={({ currentTarget: { value } }) => setQuery({ reason: value, chosen: undefined })}
      >
        <option value="">any reason</option>
        {REASONS.map((reason) => (
          <option key={reason}>{reason}</option>
        ))}
      </select>
      <Entered name="match" label="In the body or the error" placeholder="in body or error" />
      <Entered name="olderThan" label="Older than" placeholder="older than 2h" short />
      <Entered name="id" label="Request or message id" placeholder="id" />
    </form>
  )
}

interface EnteredProps {
  readonly name: string
  readonly label: string
  readonly placeholder: string
  readonly short?: boolean
}

function Entered({ name, label, placeholder, short = false }: EnteredProps) {
  return (
    <input
      type="search"
      class={short ? 'short' : ''}
      aria-label={label}
      placeholder={placeholder}
      value={valueOf(address.value.query[name])}
      onChange={({ currentTarget: { value } }) =>
        setQuery({ [name]: value.trim(), chosen: undefined })
      }
    />
  )
}
