import { useState } from 'preact/hooks'
import { type PauseAnswer, usePauses } from '../counts.ts'
import { Checkbox, Field, Form, Select } from '../parts/fields.tsx'
import { planChange } from '../parts/plans.ts'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Status } from '../parts/Status.tsx'
import { PlanButton } from '../parts/StepButton.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { clock, Time } from '../parts/Time.tsx'

export function Pauses() {
  return (
    <Answer of={usePauses()} lines={3}>
      {({ pauses }) => (
        <>
          <Paused of={pauses} />
          <PauseForm />
        </>
      )}
    </Answer>
  )
}

function Paused({ of }: { readonly of: readonly PauseAnswer[] }) {
  if (of.length === 0) {
    return (
      <Empty title="Nothing is paused.">
        A pause stops a consumer at its event source mapping: messages stay on their queue, and
        their receives and attempts are not counted. Use it while a dependency is down.
      </Empty>
    )
  }
  return (
    <>
      <div class="bar">
        <b>{of.length} paused</b>
        <PlanButton of={{ action: 'resume', given: { all: true }, title: 'Resume all' }} />
      </div>
      <Table label="Pauses" columns={COLUMNS} rows={of} />
    </>
  )
}

function lastOf(arn: string): string {
  return arn.split(':').at(-1) ?? arn
}

const COLUMNS: readonly Column<PauseAnswer>[] = [
  {
    title: 'State',
    cell: ({ state, until }) => (
      <Status
        of={until !== null && Date.parse(until) < clock.value ? 'overdue' : state}
        tone="warn"
      />
    ),
  },
  { title: 'Function', cell: (pause) => lastOf(pause.function) },
  { title: 'Queue', from: 'middle', cell: ({ queue }) => lastOf(queue) },
  { title: 'Since', from: 'middle', cell: ({ since }) => <Time at={since} /> },
  {
    title: 'Until',
    cell: ({ until }) => (until === null ? 'until it is resumed' : <Time at={until} />),
  },
  { title: 'By', from: 'wide', cell: ({ by }) => by },
  { title: 'Why', as: 'main', from: 'middle', cell: ({ why }) => why },
  {
    title: '',
    cell: ({ mapping, ...pause }) => (
      <PlanButton
        of={{ action: 'resume', given: { mapping }, title: `Resume ${lastOf(pause.function)}` }}
        words="Resume"
      />
    ),
  },
]

const BY = [
  ['dependency', 'a dependency'],
  ['consumer', 'a consumer or stage'],
  ['flow', 'a flow'],
  ['queue', 'a queue'],
  ['function', 'a function'],
  ['mapping', 'an event source mapping'],
] as const

function PauseForm() {
  const [by, setBy] = useState('dependency')
  const [value, setValue] = useState('')
  const [time, setTime] = useState('1h')
  const [isEndless, setEndless] = useState(false)
  const name = value.trim()
  const submit = (): void => {
    const given = { [by]: name, ...(isEndless ? { noEnd: true } : { for: time.trim() }) }
    planChange({ action: 'pause', given, title: `Pause ${name}` })
  }
  return (
    <section>
      <h2>Pause</h2>
      <Form submit={submit}>
        <div class="fields">
          <label>
            <span>Consumers of</span>
            <Select label="Consumers of" value={by} change={setBy} options={BY} />
          </label>
          <Field label="Name" value={value} change={setValue} hint="bank" />
          {!isEndless && <Field label="Ends after" value={time} change={setTime} hint="1h" />}
          <Checkbox label="until it is resumed" checked={isEndless} change={setEndless} />
        </div>
        <p class="actions">
          <button type="submit" class="main" disabled={name === ''}>
            Show the plan…
          </button>
          <span class="faint">
            Dependencies, consumers and flows are tags of the functions, which the templates set.
          </span>
        </p>
      </Form>
    </section>
  )
}
