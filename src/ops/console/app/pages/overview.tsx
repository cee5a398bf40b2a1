import type { Overview as Answer } from '../answers.ts'
import type { Page } from '../page.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { Failure } from '../parts/Failure.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { StepButton } from '../parts/StepButton.tsx'
import { Status } from '../parts/Status.tsx'
import { Text } from '../parts/Text.tsx'
import { useAnswer } from '../useAnswer.ts'

export const overview: Page = { path: '/', title: 'Overview', View: Overview }

function Overview() {
  const { answer, failure, loading, refresh } = useAnswer<Answer>('overview', {})
  if (loading) return <Skeleton />
  return (
    <>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {answer?.findings.map(({ kind, of, number, what, next }, at) => (
        <p key={at}>
          <Status of={kind} /> {number} <Text of={of} /> <Text of={what} /> <StepButton of={next} />
        </p>
      ))}
      <AsCommand of={answer} />
    </>
  )
}
