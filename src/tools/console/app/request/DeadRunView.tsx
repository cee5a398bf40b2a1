import { Facts } from '../parts/Facts.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import { ErrorView } from './ErrorView.tsx'
import type { FactsOf } from './item.ts'
import { LogQuery } from './LogQuery.tsx'
import { Stages } from './Stages.tsx'

export function DeadRunView({ of }: { readonly of: FactsOf<'deadRun'> }) {
  const { request, diedAt, ending, undo, stages, error, stack, marks, logs } = of
  return (
    <>
      <Facts
        of={[
          { name: 'Request', value: <Text of={request} /> },
          diedAt !== undefined && { name: 'Died', value: <Time at={diedAt} /> },
          ending !== undefined && { name: 'Ended as', value: <Text of={ending} /> },
          undo !== undefined && { name: 'Undo of its effects', value: undo },
          marks.length > 0 && { name: 'Is not repeated', value: <Text of={marks.join(', ')} /> },
        ]}
      />
      <ErrorView error={error} stack={stack} />
      <Stages of={stages} />
      <LogQuery of={logs} />
    </>
  )
}
