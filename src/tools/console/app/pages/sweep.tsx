import type { OpenItem, Overview, Tasks } from '../answers.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { clock, Time } from '../parts/Time.tsx'
import { counted } from '../parts/words.ts'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Id } from '../parts/Id.tsx'
import { planChange } from '../parts/plans.ts'
import { Status } from '../parts/Status.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { go, href } from '../route.ts'
import { useAnswer } from '../useAnswer.ts'

const MOST = '1000'
/** The sweeper leaves alone what waits for an operator. */
const ACTIVE = ['inProgress', 'dying', 'running', 'awaiting', 'accepted', 'later']

/** What is due and has not continued by itself: the sweeper's work, once and by hand. */
export function Sweep() {
  const { answer, failure, loading, refresh } = useAnswer<Tasks>('tasks', {
    due: '1',
    status: ACTIVE,
    most: MOST,
  })
  const { answer: status } = useAnswer<Overview>('overview', { noQueues: '1' }, { every: 0 })
  const due = answer?.tasks ?? []
  return (
    <>
      <div class="bar">
        <p>
          <b>{counted(due.length, 'item')}</b> due
          {answer !== undefined && answer.next !== null && (
            <>
              {' '}
              shown, and there are more: <a href={href('/tasks', { due: '1' })}>all of them</a>
            </>
          )}
        </p>
        <p class="actions">
          <button
            type="button"
            class="main"
            onClick={() => planChange({ action: 'sweep', given: {}, title: 'Sweep once' })}
          >
            Sweep…
          </button>
          <button
            type="button"
            onClick={() =>
              planChange({
                action: 'sweep',
                given: { search: true },
                title: 'Search the whole table, and sweep',
              })
            }
          >
            search and sweep…
          </button>
        </p>
      </div>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading ? (
        <Skeleton lines={6} />
      ) : due.length === 0 ? (
        <Empty title="Nothing is due.">
          The sweeper runs by its schedule: it sends delayed messages, ends runs past their time
          limit, sends lost timeouts again, and ends pauses. Sweep by hand only when the sweeper
          does not run.
        </Empty>
      ) : (
        <Table
          label="Due items"
          columns={COLUMNS}
          rows={due}
          keyOf={({ pk, sk }) => `${pk} ${sk}`}
          open={({ id }) => go('/request', { id })}
        />
      )}
      <Searched of={status?.searched} />
      <AsCommand of={answer} />
    </>
  )
}

const COLUMNS: readonly Column<OpenItem>[] = [
  { title: 'State', cell: ({ status }) => <Status of={status} tone="warn" /> },
  { title: 'Id', cell: ({ id }) => <Id of={id} /> },
  { title: 'Due', cell: ({ dueAt }) => <Time at={dueAt} /> },
  {
    title: 'What a sweep does',
    as: 'main',
    from: 'middle',
    cell: ({ kind, leaseUntil }) =>
      kind === 'token' && Date.parse(leaseUntil ?? '') > clock.value
        ? 'nothing: an attempt runs'
        : DOES[kind],
  },
]

const DOES: Readonly<Record<OpenItem['kind'], string>> = {
  token: 'lists it: its message is on its queue, or lost',
  flow: 'ends the run if its time limit is exhausted, else lists it',
  step: 'sends its timeout again, if that was lost',
  dead: 'sends the undo of its effects, if it is due',
  event: 'puts it on its queue',
  delayed: 'sends it',
}

/** Lost first attempts are in no index. */
function Searched({ of }: { readonly of: Overview['searched'] | undefined }) {
  if (of === undefined) return null
  return (
    <p class="faint">
      {of === null ? (
        'Lost first attempts were not searched yet. Searching reads the whole table: half a read unit for each 4 KB.'
      ) : (
        <>
          Lost first attempts were searched <Time at={of.ended} />:{' '}
          <Text of={`${of.looked} items looked at, ${of.found} found.`} />
        </>
      )}
    </p>
  )
}
