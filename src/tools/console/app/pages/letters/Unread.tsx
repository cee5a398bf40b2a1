import type { UnreadQueue } from '../../../../operator/dlq/index.ts'
import { Text } from '../../parts/Text.tsx'

/** Queues that could not be looked at: what is on them is missing above. */
export function Unread({ of }: { readonly of: readonly UnreadQueue[] }) {
  if (of.length === 0) return null
  return (
    <ul class="lines">
      {of.map(({ url, name, why }) => (
        <li key={url} class="tone-warn">
          <span aria-hidden="true">! </span>
          not read: <Text of={`${name}: ${why}`} />
        </li>
      ))}
    </ul>
  )
}
