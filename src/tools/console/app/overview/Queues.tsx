import type { SourceQueue } from '../../../operator/status/sourceStatus.ts'
import { Text } from '../parts/Text.tsx'

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
