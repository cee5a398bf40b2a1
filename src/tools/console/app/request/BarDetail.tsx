import { Facts } from '../parts/Facts.tsx'
import { Id } from '../parts/Id.tsx'
import { durationOf } from '../parts/words.ts'
import { Glyph } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { markGlyph } from './Legend.tsx'
import type { Bar } from './waterfallLayout.ts'

/** All that is known of one bar. */
export function BarDetail({ of, close }: { readonly of: Bar; readonly close: () => void }) {
  const { label, why, from, to, open, until, request, marks } = of
  return (
    <div class="bar-detail" role="status">
      <header>
        <h3>
          <Text of={label} />
        </h3>
        <button type="button" class="icon" onClick={close}>
          <span aria-hidden="true">×</span>
          <span class="unseen">Close</span>
        </button>
      </header>
      <Facts
        of={[
          { name: 'From', value: <code>{from}</code> },
          { name: open ? 'Until now' : 'To', value: <code>{to}</code> },
          { name: 'Took', value: durationOf(Date.parse(to) - Date.parse(from)) },
          until !== undefined && { name: 'Planned end', value: <code>{until}</code> },
          request !== undefined && { name: 'Request', value: <Text of={request} /> },
        ]}
      />
      {why !== undefined && (
        <p>
          <Text of={why} lines />
        </p>
      )}
      {marks.length > 0 && (
        <ul class="lines">
          {marks.map((mark, at) => (
            <li key={at}>
              <Glyph of={markGlyph(mark)} />
              <Text of={mark.label} />{' '}
              {mark.kind === 'send' && mark.messageId !== undefined && (
                <Id of={mark.messageId} to={{ path: '/search', query: { id: mark.messageId } }} />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
