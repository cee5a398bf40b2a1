import { StepButton } from '../parts/StepButton.tsx'
import type { Advice } from '../../../operator/item/advice.ts'
import { planChange } from '../parts/plans.ts'
import { type Doubt, verdictsOn } from '../tasks/verdicts.ts'
import { doubtIn, type Item, stepRows } from './item.ts'

export function NextSteps({ of }: { readonly of: readonly Item[] }) {
  const doubt = doubtIn(of)
  const advice = of.flatMap(({ facts }) => facts.advice)
  if (doubt === undefined) return <Rows of={advice} />
  // The verdicts stand for what is advised of its token.
  const others = advice.filter(({ action = 'decide' }) => action !== 'decide')
  return (
    <>
      <Verdicts on={doubt} />
      <Rows of={others} />
    </>
  )
}

function Rows({ of }: { readonly of: readonly Advice[] }) {
  const rows = stepRows(of)
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

/** What the outside system may say, each answer with what follows from it. */
function Verdicts({ on }: { readonly on: Doubt }) {
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
            <span>{says}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
