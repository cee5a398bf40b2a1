import type { TaskCounts, OpenItem, TasksAnswer } from '../answers.ts'
import { type Query, valueOf, valuesOf } from '../address.ts'
import { useOpen } from '../counts.ts'
import { PARKED_STATUSES } from '../map/graph.ts'
import { ChoiceFilter, TextFilter } from '../parts/fields.tsx'
import { Id } from '../parts/Id.tsx'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Status } from '../parts/Status.tsx'
import { type Column, ROWS, Table } from '../parts/Table.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { clock, Time } from '../parts/Time.tsx'
import { address, go, href } from '../route.ts'
import { countIn, filterIn, FILTERS, viewIn, VIEWS } from '../tasks/views.ts'
import { Copied } from '../parts/AsCommand.tsx'
import { useAnswer } from '../useAnswer.ts'

export function Tasks() {
  const { query } = address.value
  const after = valueOf(query['after'])
  // The first page follows what happens; a later one is read where it began.
  const answered = useAnswer<TasksAnswer>(
    'tasks',
    { ...filterIn(query), after, most: String(ROWS) },
    after === '' ? undefined : 0,
  )
  const consumer = valueOf(query['consumer'])
  const counts = useOpen().answer?.counts ?? []
  return (
    <>
      <Filters counts={counts.filter(({ of }) => consumer === '' || of === consumer)} />
      {valueOf(query['due']) === '1' && (
        <p class="bar faint">
          The sweeper continues these by its schedule. If it does not run:{' '}
          <Copied of="lineclear sweep" what="Command" />
        </p>
      )}
      {valueOf(query['status']) === 'unknown' && (
        <p class="bar faint">
          Many of one kind are answered together: <Copied of="lineclear decide" what="Command" />
        </p>
      )}
      <Answer of={answered}>
        {({ tasks, next }) => (
          <>
            {tasks.length === 0 && after === '' ? (
              <Nothing isFiltered={FILTERS.some((name) => valuesOf(query[name]).length > 0)} />
            ) : (
              <Table
                label="Open items"
                columns={COLUMNS}
                rows={tasks}
                open={(item) => go('/request', requestOf(item))}
              />
            )}
            <Pages after={after} next={next} />
          </>
        )}
      </Answer>
    </>
  )
}

/** Each page is a link, so that the way back is that of the browser. */
function Pages({ after, next }: { readonly after: string; readonly next: string | null }) {
  const { query } = address.value
  if (after === '' && next === null) return null
  return (
    <p class="actions">
      {after !== '' && <a href={href('/tasks', { ...query, after: undefined })}>First items</a>}
      {next !== null && <a href={href('/tasks', { ...query, after: next })}>Next items</a>}
    </p>
  )
}

const AGES = [
  ['', 'any age'],
  ...['10m', '1h', '6h', '1d', '7d'].map((age) => [age, `older than ${age}`] as const),
] as const

function Filters({ counts }: { readonly counts: TaskCounts }) {
  const owners = [...new Set(counts.map(({ of }) => of))].toSorted()
  return (
    <>
      <Views counts={counts} />
      <div class="filters">
        <TextFilter
          name="consumer"
          label="Consumer, scope or flow"
          hint="consumer or flow"
          list={owners}
        />
        <TextFilter name="stage" label="Stage or step" hint="stage" look="short" />
        <ChoiceFilter name="older" label="Age" options={AGES} />
      </div>
    </>
  )
}

/** What is open, by what has to be done about it. The other filters stay. */
function Views({ counts }: { readonly counts: TaskCounts }) {
  const { query } = address.value
  const now = viewIn(query)
  const tabs = VIEWS.map((view) => ({
    title: view.title,
    href: href('/tasks', { ...query, status: view.status, due: view.due, after: undefined }),
    isNow: view === now,
    tone: view.tone,
    count: countIn(view, counts),
  }))
  return <Tabs label="Views" tabs={tabs} />
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="Nothing matches.">
      <a href="/tasks">Clear all filters</a>
    </Empty>
  ) : (
    <Empty title="Nothing is open.">
      As far as the status index shows. A request in its first attempt is not in it.
    </Empty>
  )
}

function requestOf({ id, kind, uniqueRequestId }: OpenItem): Query {
  return { id, request: kind === 'dead' ? uniqueRequestId : undefined }
}

const COLUMNS: readonly Column<OpenItem>[] = [
  {
    title: 'Status',
    cell: (item) => <Status of={item.status} isLate={isLate(item)} />,
  },
  {
    title: 'Id',
    cell: (item) => <Id of={item.id} to={{ path: '/request', query: requestOf(item) }} />,
  },
  { title: 'Stage', from: 'wide', cell: ({ stages }) => stages.join(', ') },
  { title: 'Attempt', as: 'number', from: 'middle', cell: ({ attempt }) => attempt },
  { title: 'Since', cell: ({ since }) => <Time at={since} /> },
  {
    title: 'Due',
    from: 'middle',
    cell: ({ dueAt, status }) => (PARKED_STATUSES.has(status) ? '' : <Time at={dueAt} />),
  },
  {
    title: 'Why',
    as: 'main',
    from: 'wide',
    cell: ({ why = '' }) => <span title={why}>{why}</span>,
  },
]

/** Neither an attempt nor a message has continued it in time. */
function isLate({ status, leaseUntil, dueAt }: OpenItem): boolean {
  const times = [leaseUntil, dueAt].map((each) => Date.parse(each ?? '')).filter((each) => each > 0)
  return !PARKED_STATUSES.has(status) && times.length > 0 && Math.max(...times) < clock.value
}
