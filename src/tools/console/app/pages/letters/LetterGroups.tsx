import { type Query, valueOf } from '../../address.ts'
import { counted } from '../../parts/words.ts'
import { Answer, Empty, ApiFailure } from '../../parts/standIns.tsx'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { Status } from '../../parts/Status.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { address, go, href } from '../../route.ts'
import { type Groups, type LetterGroup, type LookedAnswer, readOf } from './answers.ts'
import { LetterActions } from './LetterActions.tsx'
import { LetterFilters } from './LetterFilters.tsx'
import { useQueues } from '../../counts.ts'
import { LookButton, UnreadQueues, useFreshLook, useLook } from './look.tsx'
import { selectionIn } from './selection.ts'

export function LetterGroups() {
  const { query } = address.value
  const selection = selectionIn(query)
  const { answer: known, failure, refresh: list } = useQueues()
  const look = useLook<Groups>('groups', selection)
  useFreshLook(known, look)
  return (
    <>
      <LetterFilters queues={known?.queues ?? []} />
      {failure !== undefined && <ApiFailure of={failure} again={list} />}
      <LookButton of={look} />
      <Answer of={look}>{(answer) => <Found answer={answer} />}</Answer>
    </>
  )
}

function Found({ answer }: { readonly answer: Groups }) {
  const { query } = address.value
  const { groups, looked, visible, more, fifo, unread } = answer
  const queue = valueOf(query['queue'])
  if (groups.length === 0) return <NoGroups looked={looked} unread={unread} />
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <div class="bar">
        <p>
          <b>{counted(all, 'dead letter')}</b> in {counted(groups.length, 'group')}
          {more && `, ${readOf({ looked, visible })}`}
          {'. '}
          <a href={href('/letters', { ...selectionIn(query), list: '1' })}>One by one</a>
        </p>
        {queue !== '' && (
          <LetterActions
            count={more ? undefined : all}
            chosen={NONE}
            reasons={groups.map(({ reason }) => reason)}
          />
        )}
      </div>
      <Table
        label="Groups of dead letters"
        columns={COLUMNS}
        rows={groups}
        open={(group) => go('/letters', ofGroup(group))}
      />
      {fifo && <p class="faint">{HEADS}</p>}
      <UnreadQueues of={unread} />
    </>
  )
}

const NONE: ReadonlySet<string> = new Set()
const HEADS =
  'FIFO queues show only the first dead letters of each message group; later ones become visible when these are gone.'

function ofGroup({ queue, group }: LetterGroup): Query {
  return { queue, group }
}

const COLUMNS: readonly Column<LetterGroup>[] = [
  { title: 'Count', as: 'number', cell: ({ count }) => <b>{count.toLocaleString('en')}</b> },
  { title: 'Reason', cell: ({ reason }) => <Status of={reason} tone="bad" /> },
  {
    title: 'Error',
    as: 'main',
    cell: (group) => (
      <a href={href('/letters', ofGroup(group))} title={group.error}>
        {group.error === '' ? 'no error' : group.error}
      </a>
    ),
  },
  {
    title: 'Of',
    from: 'middle',
    cell: ({ origin }) => origin,
  },
  { title: 'Queue', from: 'middle', cell: ({ queue }) => queue },
  {
    title: 'Arrived',
    from: 'wide',
    cell: ({ arrivals, count }) => (
      <Sparkline of={arrivals} label={`${count} from the oldest to the newest`} />
    ),
  },
  { title: 'Oldest', from: 'wide', cell: ({ oldest }) => <Time at={oldest} /> },
  { title: 'Newest', from: 'middle', cell: ({ newest }) => <Time at={newest} /> },
]

function NoGroups({ looked, unread }: Pick<LookedAnswer, 'looked' | 'unread'>) {
  return (
    <>
      {looked > 0 ? (
        <Empty title={`None of ${counted(looked, 'dead letter')} matches.`}>
          <a href="/letters">Clear all filters</a>
        </Empty>
      ) : (
        <Empty
          title={unread.length > 0 ? 'No dead letters in what could be read.' : 'No dead letters.'}
        >
          A message is dead-lettered when its retry budget or time limit is exhausted, when its
          handler throws a TerminalError, or when its schema refuses it. A queue without a redrive
          policy has no dead-letter queue: what fails there is lost.
        </Empty>
      )}
      <UnreadQueues of={unread} />
    </>
  )
}
