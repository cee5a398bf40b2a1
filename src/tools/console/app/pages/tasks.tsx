import type { OpenItem, Overview, Stats } from '../answers.ts'
import { type Query, valueOf, valuesOf } from '../address.ts'
import { useOpen } from '../counts.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { Id } from '../parts/Id.tsx'
import { PlanButton } from '../parts/StepButton.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Status } from '../parts/Status.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { plainText } from '../parts/safeText.ts'
import { Text } from '../parts/Text.tsx'
import { clock, Time } from '../parts/Time.tsx'
import { address, go } from '../route.ts'
import { Filters } from '../tasks/TaskFilters.tsx'
import { useTaskPages } from '../tasks/useTaskPages.ts'
import { filterIn, FILTERS } from '../tasks/views.ts'
import { OutcomeGroup, OutcomeGroups } from '../tasks/Verdicts.tsx'
import { useAnswer } from '../useAnswer.ts'

/** Everything that is open, or one kind of it: unknown outcomes, awaited steps, what is overdue. */
export function Tasks() {
  const group = valueOf(address.value.query['group'])
  return group === '' ? <Listing /> : <OutcomeGroup group={group} />
}

function Listing() {
  const { query } = address.value
  const { rows, first, failure, loading, refresh } = useTaskPages(filterIn(query))
  const consumer = valueOf(query['consumer'])
  const { answer: counted } = useAnswer<Stats>(
    'stats',
    consumer === '' ? undefined : { consumer },
    { every: COUNTED },
  )
  const { answer: all } = useOpen()
  const counts = (consumer === '' ? all : counted)?.counts ?? []
  const isFiltered = FILTERS.some((name) => valuesOf(query[name]).length > 0)
  return (
    <>
      <Filters counts={counts} />
      {valueOf(query['due']) === '1' && <Sweep />}
      {valueOf(query['status']) === 'unknown' && <OutcomeGroups />}
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading ? (
        <Skeleton lines={8} />
      ) : rows.count === 0 && first !== undefined ? (
        <Nothing isFiltered={isFiltered} />
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

/** What is due and has not continued is the sweeper's work: here once and by hand. */
function Sweep() {
  const { answer } = useAnswer<Overview>('overview', { noQueues: '1' }, { every: 0 })
  const searched = answer?.searched
  return (
    <div class="bar">
      <p class="faint">
        The sweeper continues these by its schedule. Sweep by hand only when it does not run.{' '}
        {searched === null && 'Lost first attempts are in no index, and were not searched yet.'}
        {searched !== undefined && searched !== null && (
          <>
            Lost first attempts were searched <Time at={searched.ended} />.
          </>
        )}
      </p>
      <p class="actions">
        <PlanButton main of={{ action: 'sweep', given: {}, title: 'Sweep once' }} />
        <PlanButton
          of={{
            action: 'sweep',
            given: { search: true },
            title: 'Search the whole table, and sweep',
          }}
        />
      </p>
    </div>
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
