import type { Counts } from '../answers.ts'
import { valueOf, valuesOf } from '../address.ts'
import { address, href, setQuery } from '../route.ts'
import { totalOf, viewIn, VIEWS } from './views.ts'

const AGES = ['10m', '1h', '6h', '1d', '7d'] as const

/** Of a listing of open items. Each is a parameter of the URL. */
export function Filters({ counts }: { readonly counts: Counts }) {
  const { query } = address.value
  const owners = [...new Set(counts.map(({ of }) => of))].toSorted()
  return (
    <>
      <Views counts={counts} />
      <div class="filters">
        <input
          type="search"
          aria-label="Consumer, scope or flow"
          placeholder="consumer or flow"
          list="owners"
          value={valueOf(query['consumer'])}
          onChange={({ currentTarget: { value } }) => setQuery({ consumer: value.trim() })}
        />
        <datalist id="owners">
          {owners.map((owner) => (
            <option key={owner} value={owner} />
          ))}
        </datalist>
        <input
          type="search"
          class="short"
          aria-label="Stage or step"
          placeholder="stage"
          value={valueOf(query['stage'])}
          onChange={({ currentTarget: { value } }) => setQuery({ stage: value.trim() })}
        />
        <select
          aria-label="Age"
          value={valueOf(query['older'])}
          onChange={({ currentTarget: { value } }) => setQuery({ older: value })}
        >
          <option value="">any age</option>
          {AGES.map((age) => (
            <option key={age} value={age}>
              older than {age}
            </option>
          ))}
        </select>
        {valuesOf(query['status']).length > 0 && (
          <label class="check">
            <input
              type="checkbox"
              checked={valueOf(query['due']) === '1'}
              onChange={({ currentTarget: { checked } }) =>
                setQuery({ due: checked ? '1' : undefined })
              }
            />
            only overdue
          </label>
        )}
      </div>
    </>
  )
}

/** What is open, by what has to be done about it. The other filters stay. */
function Views({ counts }: { readonly counts: Counts }) {
  const { query } = address.value
  const now = viewIn(query)
  return (
    <nav class="tabs" aria-label="Views">
      {VIEWS.map((view) => {
        const { number, atLeast } = totalOf(view.of(counts))
        return (
          <a
            key={view.title}
            href={href('/tasks', { ...query, status: view.status, due: view.due })}
            aria-current={view === now ? 'true' : undefined}
            class={number > 0 && view.tone !== undefined ? `tone-${view.tone}` : ''}
          >
            {view.title}{' '}
            <b class="count">
              {number.toLocaleString('en')}
              {atLeast && '+'}
            </b>
          </a>
        )
      })}
    </nav>
  )
}
