import type { SourceQueue } from '../../../operator/status/sourceStatus.ts'
import type { Counts } from '../answers.ts'
import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { href } from '../route.ts'
import { openNow } from '../tasks/views.ts'

type Owner = ReturnType<typeof openNow>['owners'][number]

export function OpenNow({ counts }: { readonly counts: Counts }) {
  const { columns, owners } = openNow(counts)
  if (owners.length === 0) return null
  const numbers = columns.map(({ word, statuses }): Column<Owner> => ({
    title: word,
    as: 'number',
    cell: ({ of, numbers: own }) =>
      own.has(word) && (
        <a href={href('/tasks', { consumer: of, status: statuses })}>
          {own.get(word)?.toLocaleString('en')}
        </a>
      ),
  }))
  return (
    <section>
      <h2 class="part-title">Open now</h2>
      <Table label="Open now" columns={[OWNER, ...numbers]} rows={owners} keyOf={({ of }) => of} />
    </section>
  )
}

const OWNER: Column<Owner> = {
  title: 'Consumer, scope or flow',
  cell: ({ of }) => (
    <a href={href('/tasks', { consumer: of })}>
      <Text of={of} />
    </a>
  ),
}

export function Queues({ of }: { readonly of: readonly SourceQueue[] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h2 class="part-title">Queues with messages</h2>
      <Table
        label="Queues with messages"
        columns={QUEUE}
        rows={of.toSorted((one, other) => other.visible - one.visible)}
        keyOf={({ name }) => name}
      />
    </section>
  )
}

const QUEUE: readonly Column<SourceQueue>[] = [
  { title: 'Queue', cell: ({ name }) => <Text of={name} /> },
  { title: 'waiting', as: 'number', cell: ({ visible }) => visible.toLocaleString('en') },
  { title: 'in flight', as: 'number', cell: ({ inFlight }) => inFlight.toLocaleString('en') },
  { title: 'delayed', as: 'number', cell: ({ delayed }) => delayed.toLocaleString('en') },
  { title: 'read by', as: 'main', cell: ({ readBy }) => <Text of={readBy} /> },
]
