import { planChange } from '../../parts/plans.ts'
import { Text } from '../../parts/Text.tsx'
import { type Doubt, verdictsOn } from './verdicts.ts'

/** The answers, each with what follows from it. */
export function Verdicts({ on }: { readonly on: Doubt }) {
  return (
    <section>
      <h2>What does the outside system say?</h2>
      <ul class="verdicts">
        {verdictsOn(on).map(({ title, says, intent }) => (
          <li key={title}>
            {intent === undefined ? (
              <b>{title}</b>
            ) : (
              <button type="button" onClick={() => planChange(intent)}>
                {title}…
              </button>
            )}
            <span>
              <Text of={says} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
