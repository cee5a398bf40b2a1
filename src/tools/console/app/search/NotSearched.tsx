import { Text } from '../parts/Text.tsx'
import { setQuery } from '../route.ts'
import type { Unsearched } from './answer.ts'

/** Places that cost something are searched when the person says so, and sees what it costs. */
export function NotSearched({ of }: { readonly of: readonly Unsearched[] }) {
  if (of.length === 0) return null
  return (
    <section class="item">
      <h2>Not searched</h2>
      <ul class="not-searched">
        {of.map(({ place, why, ask, units }) => (
          <li key={place}>
            <span class="step-button">
              {ask === 'scope' ? (
                <ScopeForm />
              ) : (
                ask !== undefined && (
                  <button type="button" onClick={() => setQuery({ [ask]: '1' })}>
                    Search the {place === 'whole table' ? 'whole table' : place}
                    {units !== undefined && units > 0 && `: ${units} units`}
                  </button>
                )
              )}
            </span>
            <span>
              <Text of={why} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function ScopeForm() {
  return (
    <form
      class="scope"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const text = (name: string): string => {
          const value = given.get(name)
          return typeof value === 'string' ? value.trim() : ''
        }
        setQuery({ scope: text('scope'), tenant: text('tenant') })
      }}
    >
      <input name="scope" aria-label="Scope" placeholder="scope" required />
      <input name="tenant" aria-label="Tenant" placeholder="tenant, if any" />
      <button type="submit">Search</button>
    </form>
  )
}
