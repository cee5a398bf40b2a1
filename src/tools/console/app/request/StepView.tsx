import { Facts } from '../parts/Facts.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import type { FactsOf } from './item.ts'

export function StepView({ of }: { readonly of: FactsOf<'step'> }) {
  const { step, request, need, received, requested, since, until, externalIds, more, refused } = of
  return (
    <>
      <Facts
        of={[
          { name: 'Step', value: <Text of={step} /> },
          { name: 'Request', value: <Text of={request} /> },
          { name: 'Answers', value: `${received} of ${need} needed, ${requested} asked for` },
          since !== undefined && { name: 'Waits since', value: <Time at={since} /> },
          { name: 'Times out', value: <Time at={until} /> },
        ]}
      />
      {externalIds.length > 0 && (
        <ul class="lines">
          {externalIds.map(({ id, answered }) => (
            <li key={id}>
              <span class="glyph" aria-hidden="true">
                {answered ? '✔' : '…'}
              </span>
              <code>
                <Text of={id} />
              </code>{' '}
              {answered ? 'answered' : 'waits'}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="faint">{more} more, whose external ids are not stored as text</p>}
      {refused !== undefined && (
        <p class="tone-bad">
          The last answer was refused: <Text of={refused} />
        </p>
      )}
    </>
  )
}
