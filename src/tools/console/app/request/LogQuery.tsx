import { copy } from '../parts/copy.ts'
import { Text } from '../parts/Text.tsx'
import type { FactsOf } from './item.ts'

/** Queries for CloudWatch Logs Insights. */
export function LogQuery({
  of: { logGroup, request, invocation },
}: {
  readonly of: FactsOf<'flow'>['logs']
}) {
  return (
    <details class="log-query">
      <summary class="faint">Its log in CloudWatch</summary>
      {logGroup !== undefined && (
        <p>
          Log group <code>{logGroup}</code>
        </p>
      )}
      {[request, invocation].map(
        (query) =>
          query !== undefined && (
            <p key={query}>
              <code>
                <Text of={query} />
              </code>{' '}
              <button type="button" class="quiet" onClick={() => void copy(query, 'Query')}>
                copy
              </button>
            </p>
          ),
      )}
    </details>
  )
}
