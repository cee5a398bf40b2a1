import { usePauses } from '../counts.ts'
import { PlanButton } from '../parts/StepButton.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'

/** What is paused stands on every page: a pause that was forgotten is an outage. */
export function Pauses() {
  const pauses = usePauses().answer?.pauses ?? []
  if (pauses.length === 0) return null
  return (
    <div class="banner" role="status">
      {pauses.map(({ mapping, queue, by, why, until }) => (
        <p key={mapping}>
          <b>
            <span aria-hidden="true">= </span>Paused
          </b>
          <Text of={queue.split(':').at(-1) ?? mapping} />
          {until === null ? (
            <span>no end: paused until you resume it</span>
          ) : (
            <span>
              ends <Time at={until} />
            </span>
          )}
          <span class="faint">
            <Text of={[by, why].filter((each) => each !== '').join(': ')} />
          </span>
          <PlanButton of={{ action: 'resume', given: { mapping }, title: 'Resume' }} />
        </p>
      ))}
    </div>
  )
}
