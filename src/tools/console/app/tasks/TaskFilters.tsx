import type { Stats } from '../answers.ts'
import { valueOf, valuesOf } from '../address.ts'
import { lookOf, wordsOf } from '../parts/Status.tsx'
import { address, setQuery } from '../route.ts'
import { STATUSES } from './openNow.ts'

const AGES = ['10m', '1h', '6h', '1d', '7d'] as const

/** Of a listing of open items. Each is a parameter of the URL. */
export function Filters({ counts }: { readonly counts: Stats['counts'] }) {
  const { query } = address.value
  const chosen = valuesOf(query['status'])
  const numbers = new Map<string, number>()
  for (const { status, number } of counts) numbers.set(status, (numbers.get(status) ?? 0) + number)
  const owners = [...new Set(counts.map(({ of }) => of))].toSorted()
  const toggle = (status: string): void =>
    setQuery({
      status: chosen.includes(status)
        ? chosen.filter((each) => each !== status)
        : [...chosen, status],
    })
  return (
    <div class="filters">
      <div class="chips" role="group" aria-label="Status">
        {STATUSES.filter((each) => numbers.has(each) || chosen.includes(each)).map((status) => {
          const { tone, glyph } = lookOf(status)
          return (
            <button
              key={status}
              type="button"
              class={`chip tone-${tone}`}
              aria-pressed={chosen.includes(status)}
              onClick={() => toggle(status)}
            >
              <span aria-hidden="true">{glyph}</span>
              {wordsOf(status)}
              <b>{(numbers.get(status) ?? 0).toLocaleString('en')}</b>
            </button>
          )
        })}
      </div>
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
    </div>
  )
}
