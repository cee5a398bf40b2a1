import type { OpenItem, Stats } from '../answers.ts'
import { type Query, valueOf, valuesOf } from '../address.ts'
import type { Page } from '../page.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { clock, Time } from '../parts/Time.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Id } from '../parts/Id.tsx'
import { plainText, Text } from '../parts/Text.tsx'
import { Status } from '../parts/Status.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { address, go } from '../route.ts'
import { useAnswer } from '../useAnswer.ts'
import { Filters } from '../tasks/TaskFilters.tsx'
import { useTaskPages } from '../tasks/useTaskPages.ts'

export const tasks: Page = { path: '/tasks', title: 'Open items', View: Tasks }

/** Parameters of this page, which are those of the route. */
const FILTERS = ['consumer', 'stage', 'status', 'older', 'due']

function Tasks() {
  const { query } = address.value
  const filter: Query = Object.fromEntries(FILTERS.map((name) => [name, query[name]]))
  const { rows, first, failure, loading, refresh } = useTaskPages(filter)
  const consumer = valueOf(query['consumer'])
  const { answer: stats } = useAnswer<Stats>('stats', { of: consumer }, { every: COUNTED })
  const isFiltered = FILTERS.some((name) => valuesOf(query[name]).length > 0)
  return (
    <>
      <Filters counts={stats?.counts ?? []} />
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading ? (
        <Skeleton lines={8} />
      ) : rows.count === 0 && first !== undefined ? (
        isFiltered ? (
          <Empty title="Nothing matches.">
            <a href="/tasks">Clear all filters</a>
          </Empty>
        ) : (
          <Empty title="Nothing is open.">
            As far as the status index shows. A request in its first attempt is not in it.
          </Empty>
        )
      ) : (
        <Table
          label="Open items"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ pk, sk }) => `${pk} ${sk}`}
          open={(item) => go('/request', requestOf(item))}
        />
      )}
      <AsCommand of={first} />
    </>
  )
}

/** Counting reads a key of each item, milliseconds. */
const COUNTED = 10_000

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
  { title: 'Stage', from: 'wide', cell: ({ stages }) => <Text of={stages.join(', ')} /> },
  { title: 'Attempt', as: 'number', from: 'middle', cell: ({ attempt }) => attempt },
  { title: 'Since', cell: ({ since }) => <Time at={since} /> },
  {
    title: 'Due',
    from: 'middle',
    cell: ({ dueAt, status }) => (PARKED.has(status) ? '' : <Time at={dueAt} />),
  },
  {
    title: 'Why',
    as: 'main',
    from: 'wide',
    cell: ({ why = '' }) => (
      <span title={plainText(why)}>
        <Text of={why} />
      </span>
    ),
  },
]

/** They are due at no time: they wait for an operator. */
const PARKED: ReadonlySet<string> = new Set(['unknown', 'error', 'dead'])

/** Neither an attempt nor a message has continued it in time. */
function isLate({ status, leaseUntil, dueAt }: OpenItem): boolean {
  const times = [leaseUntil, dueAt].map((each) => Date.parse(each ?? '')).filter((each) => each > 0)
  return !PARKED.has(status) && times.length > 0 && Math.max(...times) < clock.value
}
