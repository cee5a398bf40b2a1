import { useState } from 'preact/hooks'
import type { Overview } from '../answers.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { clock, Time } from '../parts/Time.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Id } from '../parts/Id.tsx'
import { planChange } from '../parts/plans.ts'
import { Status } from '../parts/Status.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { useAnswer } from '../useAnswer.ts'
import { endFrom, ENDS, type EndName } from './pauses/ends.ts'

interface Pause {
  readonly mapping: string
  readonly queue: string
  readonly function: string
  readonly state: string
  readonly by: string
  readonly why: string
  readonly since: string
  /** null: it has no end. */
  readonly until: string | null
}

export function Pauses() {
  const { answer, failure, loading, refresh } = useAnswer<{ readonly pauses: readonly Pause[] }>(
    'pauses',
    {},
  )
  const paused = answer?.pauses ?? []
  return (
    <>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading ? (
        <Skeleton lines={3} />
      ) : paused.length === 0 ? (
        <Empty title="Nothing is paused.">
          A pause stops a consumer at its event source mapping: messages stay on their queue, and
          their receives and attempts are not counted. Use it while a dependency is down.
        </Empty>
      ) : (
        <>
          <div class="bar">
            <p>
              <b>{paused.length} paused</b>
            </p>
            <p class="actions">
              <button
                type="button"
                onClick={() =>
                  planChange({ action: 'resume', given: { all: true }, title: 'Resume all' })
                }
              >
                Resume all…
              </button>
            </p>
          </div>
          <Table label="Pauses" columns={COLUMNS} rows={paused} keyOf={({ mapping }) => mapping} />
        </>
      )}
      <PauseForm />
      <Brakes />
      <AsCommand of={answer} />
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
      <button
        type="button"
        onClick={() =>
          planChange({
            action: 'resume',
            given: { mapping },
            title: `Resume ${lastOf(pause.function)}`,
          })
        }
      >
        Resume…
      </button>
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
  const [by, setBy] = useState<string>('dependency')
  const [value, setValue] = useState('')
  const [end, setEnd] = useState<EndName>('for')
  const [time, setTime] = useState('1h')
  const ended = endFrom(end, time)
  const name = value.trim()
  return (
    <section>
      <h2>Pause</h2>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name === '' || 'wrong' in ended) return
          planChange({ action: 'pause', given: { [by]: name, ...ended }, title: `Pause ${name}` })
        }}
      >
        <div class="fields">
          <label>
            <span>Consumers of</span>
            <select value={by} onChange={({ currentTarget }) => setBy(currentTarget.value)}>
              {BY.map(([word, title]) => (
                <option key={word} value={word}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span>Name</span>
            <input
              value={value}
              placeholder="bank"
              onInput={({ currentTarget }) => setValue(currentTarget.value)}
            />
          </label>
          <label>
            <span>Ends</span>
            <select
              value={end}
              onChange={({ currentTarget }) => setEnd(currentTarget.value as EndName)}
            >
              {ENDS.map(([word, title]) => (
                <option key={word} value={word}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {end !== 'noEnd' && (
            <label>
              <span>{end === 'for' ? 'Duration' : 'Time, UTC'}</span>
              <input
                value={time}
                placeholder={end === 'for' ? '1h' : '2026-01-31T12:00Z'}
                aria-invalid={'wrong' in ended}
                onInput={({ currentTarget }) => setTime(currentTarget.value)}
              />
            </label>
          )}
        </div>
        {'wrong' in ended && <p class="tone-bad">✖ {ended.wrong}</p>}
        <p class="actions">
          <button type="submit" class="main" disabled={name === '' || 'wrong' in ended}>
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

/** Milliseconds. It reads the whole status index. */
const BRAKED = 30_000

/** Consumers hold themselves back; there is nothing to resume. */
function Brakes() {
  const { answer } = useAnswer<Overview>('overview', { noQueues: '1' }, { every: BRAKED })
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
