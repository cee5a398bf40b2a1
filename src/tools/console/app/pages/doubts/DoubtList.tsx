import type { OpenItem, Tasks } from '../../answers.ts'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { plainText, Text } from '../../parts/Text.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { go, href } from '../../route.ts'
import { useAnswer } from '../../useAnswer.ts'
import { isDoubt, type RequestGroup } from './answers.ts'

/** Reading the groups reads everything that is parked, milliseconds. */
const GROUPED = 10_000
/** Groups are for more. */
const MOST = '500'

/** Requests with a call whose outcome is unknown. */
export function DoubtList() {
  const { answer: grouped } = useAnswer<{ readonly groups: readonly RequestGroup[] }>(
    'requestGroups',
    {},
    { every: GROUPED },
  )
  const { answer, failure, loading, refresh } = useAnswer<Tasks>('tasks', {
    status: 'unknown',
    most: MOST,
  })
  const groups = grouped?.groups.filter(isDoubt) ?? []
  const items = answer?.tasks ?? []
  return (
    <>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading ? (
        <Skeleton lines={6} />
      ) : items.length === 0 && groups.length === 0 ? (
        <Empty title="No outcome is unknown.">
          A call of <code>ctx.once</code> or of an Idempotency-Key is listed here when it was begun
          and its outcome is unknown: its function was killed, or its answer was lost. It is not
          repeated until you enter its outcome.
        </Empty>
      ) : (
        <>
          {groups.some(({ count }) => count > 1) && (
            <section class="first">
              <h2>Groups</h2>
              <Table
                label="Groups of unknown outcomes"
                columns={GROUPS}
                rows={groups}
                keyOf={({ group }) => group}
                open={({ group }) => go('/doubts', { group })}
              />
            </section>
          )}
          <Table
            label="Unknown outcomes"
            columns={ITEMS}
            rows={items}
            keyOf={({ pk, sk }) => `${pk} ${sk}`}
            open={({ id }) => go('/doubts', { id })}
          />
          {answer !== undefined && answer.next !== null && (
            <p class="faint">
              These are the first {items.length}. There are more: answer them by group, or see all
              of them in <a href={href('/tasks', { status: 'unknown' })}>open items</a>.
            </p>
          )}
        </>
      )}
      <AsCommand of={answer} />
    </>
  )
}

const GROUPS: readonly Column<RequestGroup>[] = [
  { title: 'Count', as: 'number', cell: ({ count }) => <b>{count.toLocaleString('en')}</b> },
  { title: 'Of', cell: ({ of }) => <Text of={of} /> },
  { title: 'Calls', from: 'middle', cell: ({ calls }) => <Text of={calls.join(', ')} /> },
  {
    title: 'Error',
    as: 'main',
    cell: ({ group, error }) => (
      <a href={href('/doubts', { group })} title={plainText(error)}>
        <Text of={error} />
      </a>
    ),
  },
  { title: 'Oldest', cell: ({ oldest }) => <Time at={oldest} /> },
]

const ITEMS: readonly Column<OpenItem>[] = [
  { title: 'State', from: 'middle', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Id',
    cell: ({ id }) => (
      <a class="id cut" href={href('/doubts', { id })} title={plainText(id)}>
        <Text of={id} />
      </a>
    ),
  },
  { title: 'Attempt', as: 'number', from: 'wide', cell: ({ attempt }) => attempt ?? '' },
  { title: 'Since', cell: ({ since }) => <Time at={since} /> },
  {
    title: 'Why',
    as: 'main',
    from: 'middle',
    cell: ({ why = '' }) => (
      <span title={plainText(why)}>
        <Text of={why} />
      </span>
    ),
  },
]
