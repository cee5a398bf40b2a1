import { href } from '../route.ts'
import { Id } from '../parts/Id.tsx'
import { Text } from '../parts/Text.tsx'
import type { FoundItem } from './answer.ts'
import { requestId } from './requestId.ts'

const BY: Readonly<Record<FoundItem['by'], string>> = {
  key: 'Stored under this id',
  'caller key': 'A key that a caller has sent',
  owner: 'Under a consumer, flow or scope with open items',
  log: 'In the log of the local functions',
  'dead letters': 'On a dead-letter queue',
  'whole table': 'In the table',
}

export function Found({ of: { by, line, items = [], letters = [] } }: { readonly of: FoundItem }) {
  return (
    <section class="item">
      <h2>{BY[by]}</h2>
      <ul class="lines">
        {items.map((pk) => (
          <li key={pk}>
            <Id of={requestId(pk)} />
          </li>
        ))}
        {letters.map(({ queue, messageId, id, reason, error }, at) => (
          <li key={at}>
            <a href={href('/letters', { queue, id: messageId ?? id })}>
              <Text of={[queue, messageId ?? id].filter((each) => each !== undefined).join(' ')} />
            </a>{' '}
            <Text of={[reason, error].filter((each) => each !== undefined).join(': ')} />
          </li>
        ))}
      </ul>
      <p class="faint">
        <code>
          <Text of={line} />
        </code>
      </p>
    </section>
  )
}
