import { Status } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import { DeadRunView } from './DeadRunView.tsx'
import { FlowView } from './FlowView.tsx'
import { type Item, kindOf } from './item.ts'
import { StepView } from './StepView.tsx'
import { TokenView } from './TokenView.tsx'

/** All that is known of one item. */
export function ItemView({ of }: { readonly of: Item }) {
  const { title, facts } = of
  const { operator } = facts
  return (
    <section class="item">
      <h2>
        {kindOf(facts)} <Status of={facts.status} />
      </h2>
      <p class="item-title faint">
        <Text of={title} />
      </p>
      <Kind of={of} />
      {operator !== undefined && (
        <p>
          Changed by <Text of={operator.by} /> <Time at={operator.at} />: <Text of={operator.did} />{' '}
          (
          <Text of={operator.why} />)
        </p>
      )}
    </section>
  )
}

function Kind({ of: { facts, lines } }: { readonly of: Item }) {
  switch (facts.kind) {
    case 'request':
    case 'key':
    case 'undo':
      return <TokenView of={facts} />
    case 'flow':
      return <FlowView of={facts} />
    case 'step':
      return <StepView of={facts} />
    case 'deadRun':
      return <DeadRunView of={facts} />
    default:
      return (
        <ul class="lines">
          {lines.map((line, at) => (
            <li key={at}>
              <Text of={line} />
            </li>
          ))}
        </ul>
      )
  }
}
