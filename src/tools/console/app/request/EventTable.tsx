import { Glyph } from '../parts/Status.tsx'
import type { Explained } from '../answers.ts'
import { Empty } from '../parts/standIns.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { lookOf } from '../parts/statuses.ts'

type Event = Explained['timeline'][number]

export function EventTable({ of }: { readonly of: readonly Event[] }) {
  if (of.length === 0) {
    return (
      <Empty title="No event of it is known.">
        The table keeps the state. What happened stands in the functions’ log.
      </Empty>
    )
  }
  return <Table label="What happened" columns={COLUMNS} rows={of} />
}

const COLUMNS: readonly Column<Event>[] = [
  {
    title: 'When (UTC)',
    cell: ({ at }) => <code title={at}>{at?.slice(11, 23) ?? 'unknown'}</code>,
  },
  { title: 'Where', from: 'middle', cell: ({ where }) => where },
  { title: 'Attempt', as: 'number', from: 'middle', cell: ({ attempt }) => attempt },
  {
    title: 'What',
    cell: ({ what, outcome }) => {
      const look = outcome === undefined ? undefined : lookOf(outcome)
      return (
        <span class={look === undefined ? '' : `tone-${look.tone}`} title={what}>
          <Glyph of={look?.glyph ?? ''} />
          {what}
        </span>
      )
    },
  },
  {
    title: 'Why',
    as: 'main',
    from: 'wide',
    cell: ({ why = '' }) => <span title={why}>{why}</span>,
  },
  { title: 'From', from: 'wide', cell: ({ from }) => from },
]
