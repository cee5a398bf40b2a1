import { useState } from 'preact/hooks'
import { type Pause, useOpen, usePauses } from '../counts.ts'
import { Id } from '../parts/Id.tsx'
import { planChange } from '../parts/plans.ts'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Status } from '../parts/Status.tsx'
import { PlanButton } from '../parts/StepButton.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { clock, Time } from '../parts/Time.tsx'

export function Pauses() {
  return (
    <Answer of={usePauses()} lines={3}>
      {({ pauses }) => (
        <>
          <Paused of={pauses} />
          <PauseForm />
          <Brakes />
        </>
      )}
    </Answer>
  )
}

function Paused({ of }: { readonly of: readonly Pause[] }) {
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
      <Table label="Pauses" columns={COLUMNS} rows={of} keyOf={({ mapping }) => mapping} />
    </>
  )
}

function lastOf(arn: string): string {
  return arn.split(':').at(-1) ?? arn
}

const COLUMNS: readonly Column<Pause>[] = [
  {
    title: 'State',
    cell: ({ state, until }) => (
      <Status
        of={until !== null && Date.parse(until) < clock.value ? 'overdue' : state}
        tone="warn"
      />
    ),
  },
  { title: 'Function', cell: (pause) => <Text of={lastOf(pause.function)} /> },
  { title: 'Queue', from: 'middle', cell: ({ queue }) => <Text of={lastOf(queue)} /> },
  { title: 'Since', from: 'middle', cell: ({ since }) => <Time at={since} /> },
  {
    title: 'Until',
    cell: ({ until }) => (until === null ? 'until it is resumed' : <Time at={until} />),
  },
  { title: 'By', from: 'wide', cell: ({ by }) => <Text of={by} /> },
  { title: 'Why', as: 'main', from: 'middle', cell: ({ why }) => <Text of={why} /> },
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

/** How a pause can end, as the command is given it. One without an end is forgotten. */
const ENDS = [
  ['for', 'after a time'],
  ['until', 'at a time'],
  ['noEnd', 'when it is resumed'],
] as const

function PauseForm() {
  const [by, setBy] = useState('dependency')
  const [value, setValue] = useState('')
  const [end, setEnd] = useState('for')
  const [time, setTime] = useState('1h')
  const name = value.trim()
  return (
    <section>
      <h2>Pause</h2>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          const given = { [by]: name, [end]: end === 'noEnd' ? true : time.trim() }
          planChange({ action: 'pause', given, title: `Pause ${name}` })
        }}
      >
        <div class="fields">
          <Choice label="Consumers of" value={by} change={setBy} options={BY} />
          <label>
            <span>Name</span>
            <input
              value={value}
              placeholder="bank"
              onInput={({ currentTarget }) => setValue(currentTarget.value)}
            />
          </label>
          <Choice label="Ends" value={end} change={setEnd} options={ENDS} />
          {end !== 'noEnd' && (
            <label>
              <span>{end === 'for' ? 'Duration' : 'Time, UTC'}</span>
              <input
                value={time}
                placeholder={end === 'for' ? '1h' : '2026-01-31T12:00Z'}
                onInput={({ currentTarget }) => setTime(currentTarget.value)}
              />
            </label>
          )}
        </div>
        <p class="actions">
          <button type="submit" class="main" disabled={name === ''}>
            Show the plan…
          </button>
          <span class="faint">
            Dependencies, consumers and flows are tags of the functions, which the templates set.
          </span>
        </p>
      </form>
    </section>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, title: string])[]
  change(value: string): void
}

function Choice({ label, value, options, change }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {options.map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Consumers hold themselves back; there is nothing to resume. */
function Brakes() {
  const { answer } = useOpen()
  const brakes = answer?.findings.filter(({ kind }) => kind === 'braked') ?? []
  return (
    <section>
      <h2>Brakes</h2>
      {brakes.length === 0 ? (
        <p class="faint">
          No consumer has its brake on. With the option <code>brake</code> a consumer stops while
          its dependency is down, and continues when a probe completes.
        </p>
      ) : (
        <ul class="lines">
          {brakes.map(({ of, what, since }) => (
            <li key={of}>
              <Status of="braked" /> <Id of={of} to={{ path: '/tasks', query: { consumer: of } }} />{' '}
              <Text of={what} /> <Time at={since} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
