import { Facts, Id } from '../parts/Id.tsx'
import { planChange } from '../parts/plans.ts'
import { plainText } from '../parts/safeText.ts'
import { Text } from '../parts/Text.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Time } from '../parts/Time.tsx'
import { counted } from '../parts/words.ts'
import { go, href } from '../route.ts'
import { session } from '../api.ts'
import { useAnswer } from '../useAnswer.ts'
import { type Doubt, isDoubt, type RequestGroup, verdictsOn } from './verdicts.ts'

/** What the outside system may say, each answer with what follows from it. */
export function Verdicts({ on }: { readonly on: Doubt }) {
  return (
    <section>
      <h2>What does the outside system say?</h2>
      <ul class="verdicts">
        {verdictsOn(on).map(({ title, says, intent }) => (
          <li key={title}>
            {intent === undefined ? (
              <b>{title}</b>
            ) : (
              <button type="button" onClick={() => planChange(intent)}>
                {title}…
              </button>
            )}
            <span>
              <Text of={says} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const ALL = href('/tasks', { status: 'unknown' })
/** Reading the groups reads everything that is parked: in an account it is done once. Milliseconds. */
const GROUPED = 10_000

interface Grouped {
  readonly groups: readonly RequestGroup[]
}

/** Unknown outcomes of one kind are answered together. Of single ones there is nothing to say. */
export function OutcomeGroups() {
  const every = session.value?.local === true ? GROUPED : 0
  const { answer } = useAnswer<Grouped>('requestGroups', {}, { every })
  const groups = answer?.groups.filter(isDoubt) ?? []
  if (!groups.some(({ count }) => count > 1)) return null
  return (
    <section class="first">
      <h2>Groups</h2>
      <Table
        label="Groups of unknown outcomes"
        columns={GROUPS}
        rows={groups}
        keyOf={({ group }) => group}
        open={({ group }) => go('/tasks', { status: 'unknown', group })}
      />
    </section>
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
      <a href={href('/tasks', { status: 'unknown', group })} title={plainText(error)}>
        <Text of={error} />
      </a>
    ),
  },
  { title: 'Oldest', cell: ({ oldest }) => <Time at={oldest} /> },
]

/** Many unknown outcomes of one kind, with one answer for all: ask the outside system for each of them first. */
export function OutcomeGroup({ group }: { readonly group: string }) {
  const answered = useAnswer<Grouped>('requestGroups', {}, { every: 0 })
  return (
    <>
      <nav class="crumbs" aria-label="Way back">
        <a href={ALL}>all unknown outcomes</a>
        <span aria-current="page">
          <Text of={`group ${group}`} />
        </span>
      </nav>
      <Answer of={answered}>
        {({ groups }) => {
          const found = groups.find((each) => each.group === group)
          if (found === undefined) return <Empty title="No request of this group is open." />
          return <Found of={found} />
        }}
      </Answer>
    </>
  )
}

function Found({ of: found }: { readonly of: RequestGroup }) {
  const { group, count, of, error, calls, notDone, oldest, example } = found
  return (
    <>
      <p class="headline">
        <b>{counted(count, 'request')}</b> of <Text of={`${of}: ${error}`} />
      </p>
      <Facts
        of={[
          {
            name: 'Calls with an unknown outcome',
            value: <Text of={calls.join(', ') || 'not stored'} />,
          },
          { name: 'Oldest', value: <Time at={oldest} /> },
          { name: 'One of them', value: <Id of={example} /> },
          {
            name: 'Their dead letters, if any',
            value: <a href={href('/letters', { group })}>in the group of the same name</a>,
          },
        ]}
      />
      <p>
        The plan lists the id of each: compare them with the outside system before you apply it. One
        that changes meanwhile is left as it is.
      </p>
      <Verdicts
        on={{
          target: { id: group },
          name: counted(count, 'request'),
          kind: calls.length > 0 ? 'request' : 'key',
          calls,
          notDone,
        }}
      />
    </>
  )
}
