import { StepButton } from '../parts/StepButton.tsx'
import { Text } from '../parts/Text.tsx'
import type { Item } from './item.ts'

/** What a person may do, and when: the usual step first. */
export function NextSteps({ of }: { readonly of: readonly Item[] }) {
  const all = of.flatMap(({ facts: { advice } }) => advice)
  const steps = [...all.filter(({ cure }) => cure), ...all.filter(({ cure }) => !cure)]
  if (steps.length === 0) return null
  return (
    <section class="next-steps">
      <h2 class="unseen">Next</h2>
      <ul>
        {steps.map((advice) => (
          <li key={advice.text}>
            <span class="step-button">
              <StepButton of={advice} main={advice.cure} />
            </span>
            <span>
              {advice.when !== undefined && (
                <b>
                  <Text of={advice.when} />
                  {advice.doing === undefined ? '' : ': '}
                </b>
              )}
              {advice.doing !== undefined && <Text of={advice.doing} />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
