import { StepButton } from '../parts/StepButton.tsx'
import { type ExplainedItem, stepRows } from './item.ts'

export function NextSteps({ of }: { readonly of: readonly ExplainedItem[] }) {
  const rows = stepRows(of.flatMap(({ facts }) => facts.advice))
  if (rows.length === 0) return null
  return (
    <section class="next-steps">
      <h2 class="unseen">Next</h2>
      <ul>
        {rows.map(({ step, when, notes }) => (
          <li
            key={`${step?.text ?? ''} ${notes.join(' ')}`}
            class={step === undefined ? 'note' : ''}
          >
            {step !== undefined && (
              <span class="step-button">
                <StepButton of={step} main={step.cure} />
              </span>
            )}
            <span>
              {when !== undefined && (
                <b>
                  {when}
                  {notes.length === 0 ? '' : ': '}
                </b>
              )}
              {notes.join('; ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
