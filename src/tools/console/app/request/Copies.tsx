import type { Explained } from '../answers.ts'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'

/** More of them are counted only. */
const SHOWN = 20

/** Deliveries that did not run: the log knows them, the table does not. */
export function Copies({ of }: { readonly of: Explained['timeline'] }) {
  const copies = of.filter(({ kind }) => kind === 'dropped' || kind === 'deferred')
  if (copies.length === 0) return null
  return (
    <section class="item">
      <h2>Copies received: {copies.length}</h2>
      <ul class="lines">
        {copies.slice(0, SHOWN).map(({ at, what, why = '', kind }, index) => (
          <li key={index}>
            <span class="glyph" aria-hidden="true">
              {kind === 'dropped' ? '▲' : '△'}
            </span>
            <Time at={at} /> <Text of={what} /> <span class="faint">{<Text of={why} />}</span>
          </li>
        ))}
      </ul>
      {copies.length > SHOWN && <p class="faint">The table has all of them.</p>}
    </section>
  )
}
