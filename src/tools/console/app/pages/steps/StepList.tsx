import { useState } from 'preact/hooks'
import type { OpenItem, Tasks } from '../../answers.ts'
import type { Query } from '../../address.ts'
import { valueOf } from '../../address.ts'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { clock, Time } from '../../parts/Time.tsx'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { Text } from '../../parts/Text.tsx'
import { address, go, href, setQuery } from '../../route.ts'
import { useAnswer } from '../../useAnswer.ts'

const MOST = '1000'

/** Steps of flows that wait for an outside system. */
export function StepList() {
  const flow = valueOf(address.value.query['flow'])
  const { answer, failure, loading, refresh } = useAnswer<Tasks>('tasks', {
    status: 'awaiting',
    flow,
    most: MOST,
  })
  const waiting = answer?.tasks.filter(({ kind }) => kind === 'step') ?? []
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Flow"
          placeholder="flow"
          value={flow}
          onChange={({ currentTarget: { value } }) => setQuery({ flow: value.trim() })}
        />
      </form>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading ? (
        <Skeleton lines={6} />
      ) : waiting.length === 0 ? (
        <Empty title="No awaited step is open.">
          A flow waits here when one of its stages has called <code>ctx.await</code>: for an answer
          from outside, such as a webhook or a person. It holds its key meanwhile, and continues
          with <code>onTimeout</code> when it times out.
        </Empty>
      ) : (
        <Table
          label="Awaited steps"
          columns={COLUMNS}
          rows={waiting}
          keyOf={({ pk, sk }) => `${pk} ${sk}`}
          open={(item) => go('/steps', ofStep(item))}
        />
      )}
      {answer !== undefined && answer.next !== null && (
        <p class="faint">There are more than {MOST}: choose a flow.</p>
      )}
      <OtherStep />
      <AsCommand of={answer} />
    </>
  )
}

function ofStep({ id, stages, uniqueRequestId }: OpenItem): Query {
  return { id, step: stages[0], request: uniqueRequestId }
}

const COLUMNS: readonly Column<OpenItem>[] = [
  {
    title: 'State',
    cell: ({ dueAt, status }) => (
      <Status of={Date.parse(dueAt ?? '') < clock.value ? 'overdue' : status} />
    ),
  },
  {
    title: 'Flow and key',
    cell: (item) => (
      <a class="id cut" href={href('/steps', ofStep(item))}>
        <Text of={item.id} />
      </a>
    ),
  },
  { title: 'Step', from: 'middle', cell: ({ stages }) => <Text of={stages.join(', ')} /> },
  {
    title: 'Waits for',
    as: 'main',
    from: 'middle',
    cell: ({ externalIds = [] }) => <Text of={externalIds.join(', ')} />,
  },
  { title: 'Since', from: 'middle', cell: ({ since }) => <Time at={since} /> },
  { title: 'Until', cell: ({ dueAt }) => <Time at={dueAt} /> },
]

/** A step that has been answered is in no list: who wants it to wait again knows its flow. */
function OtherStep() {
  const [id, setId] = useState('')
  const [step, setStep] = useState('')
  return (
    <details class="other">
      <summary>A step that is not listed, such as one with a wrong answer</summary>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          if (id.trim() !== '' && step.trim() !== '') {
            go('/steps', { id: id.trim(), step: step.trim() })
          }
        }}
      >
        <input
          aria-label="Flow and key"
          placeholder="flow/KEY"
          value={id}
          onInput={({ currentTarget: { value } }) => setId(value)}
        />
        <input
          aria-label="Step"
          placeholder="step"
          value={step}
          onInput={({ currentTarget: { value } }) => setStep(value)}
        />
        <button type="submit">Look</button>
      </form>
    </details>
  )
}
