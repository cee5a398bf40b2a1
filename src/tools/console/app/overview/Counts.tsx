import type { Counts } from '../answers.ts'
import { Text } from '../parts/Text.tsx'
import { href } from '../route.ts'
import { openNow } from '../tasks/views.ts'
import type { SourceQueue } from '../../../operator/status/sourceStatus.ts'

/** How much is open, by consumer or flow and status. Each number leads to its items. */
export function OpenNow({ counts }: { readonly counts: Counts }) {
  const { columns, owners } = openNow(counts)
  if (owners.length === 0) return null
  return (
    <section>
      <h2 class="part-title">Open now</h2>
      <div class="table">
        <table class="counts">
          <thead>
            <tr>
              <th scope="col">Consumer, scope or flow</th>
              {columns.map(({ word }) => (
                <th key={word} scope="col" class="number">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {owners.map(({ of, numbers }) => (
              <tr key={of}>
                <th scope="row">
                  <a href={href('/tasks', { consumer: of })}>
                    <Text of={of} />
                  </a>
                </th>
                {columns.map(({ word, statuses }) => {
                  const number = numbers.get(word)
                  return (
                    <td key={word} class="number">
                      {number === undefined ? (
                        <span class="faint">·</span>
                      ) : (
                        <a href={href('/tasks', { consumer: of, status: statuses })}>
                          {number.toLocaleString('en')}
                        </a>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Queues that have messages, the fullest first, and who reads them. */
export function Queues({ of }: { readonly of: readonly SourceQueue[] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2 class="part-title">Queues with messages</h2>
      {/* No link in it takes the focus, and on a narrow screen it scrolls. */}
      <div class="table" tabIndex={0} role="group" aria-label="Queues with messages">
        <table class="counts">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              {['waiting', 'in flight', 'delayed'].map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
              <th scope="col">read by</th>
            </tr>
          </thead>
          <tbody>
            {of
              .toSorted((one, other) => other.visible - one.visible)
              .map(({ name, visible, inFlight, delayed, readBy }) => (
                <tr key={name}>
                  <th scope="row">
                    <Text of={name} />
                  </th>
                  {[visible, inFlight, delayed].map((number, at) => (
                    <td key={at} class="number">
                      {number.toLocaleString('en')}
                    </td>
                  ))}
                  <td>
                    <Text of={readBy} />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
