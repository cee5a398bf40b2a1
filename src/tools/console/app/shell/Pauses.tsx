import { StepButton } from '../parts/StepButton.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import { useAnswer } from '../useAnswer.ts'

interface Pause {
  readonly mapping: string
  readonly subject?: string
  readonly queue?: string
  readonly by?: string
  readonly why?: string
  /** null: it has no end. */
  readonly until: string | null
}

/** Milliseconds. A pause is begun and ended by hand. */
const EVERY = 30_000

/** What is paused, for the navigation too. */
export function usePauses(): readonly Pause[] {
  const every = { every: EVERY }
  return useAnswer<{ readonly pauses: readonly Pause[] }>('pauses', {}, every).answer?.pauses ?? []
}

/** What is paused stands on every page: a pause that was forgotten is an outage. */
export function Pauses() {
  const pauses = usePauses()
  if (pauses.length === 0) return null
  return (
    <div class="banner" role="status">
      {pauses.map(({ mapping, subject, queue = '', by = '', why = '', until }) => (
        <p key={mapping}>
          <b>
            <span aria-hidden="true">= </span>Paused
          </b>
          <Text of={subject ?? queue.split(':').at(-1) ?? mapping} />
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
          <StepButton
            of={{
              action: 'resume',
              given: { mapping },
              args: ['resume', '--mapping', mapping],
              text: `lineclear resume --mapping ${mapping}`,
            }}
          />
        </p>
      ))}
    </div>
  )
}
