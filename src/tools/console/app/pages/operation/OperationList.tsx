import type { AuditEntry } from '../../../../../sweeper/audit/auditRow.ts'
import { AsCommand } from '../../parts/AsCommand.tsx'
import { Empty, Failure, Skeleton } from '../../parts/standIns.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { Text } from '../../parts/Text.tsx'
import { Time } from '../../parts/Time.tsx'
import { go, href } from '../../route.ts'
import { useAnswer } from '../../useAnswer.ts'
import { Result } from '../audit/Result.tsx'
import { isOfMany } from '../audit/entries.ts'

/** Changes of many items, as the audit has them. */
export function OperationList() {
  const { answer, failure, loading, refresh } = useAnswer<{
    readonly entries: readonly AuditEntry[]
  }>('audit', { since: '30d' })
  const entries = answer?.entries.filter(isOfMany) ?? []
  return (
    <>
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {loading ? (
        <Skeleton lines={6} />
      ) : entries.length === 0 ? (
        <Empty title="No operation on many items in 30 days.">
          Redrive or discard a group of <a href="/letters">dead letters</a>, or answer a group of{' '}
          <a href="/doubts">unknown outcomes</a>: its progress is shown here, even if it runs on
          another machine, and you can pause and resume it.
        </Empty>
      ) : (
        <Table
          label="Changes of many items"
          columns={COLUMNS}
          rows={entries}
          keyOf={({ at, plan }) => `${at} ${plan}`}
          open={({ plan }) => go('/operation', { plan })}
        />
      )}
      <AsCommand of={answer} />
    </>
  )
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    title: 'Plan',
    cell: ({ plan }) => (
      <a class="id" href={href('/operation', { plan })}>
        {plan}
      </a>
    ),
  },
  { title: 'Began', cell: ({ at }) => <Time at={at} /> },
  { title: 'What', cell: ({ action }) => <Text of={action} /> },
  { title: 'Of', from: 'middle', cell: ({ id }) => <Text of={id} /> },
  { title: 'Result', cell: ({ result }) => <Result of={result} /> },
  { title: 'By', from: 'wide', cell: ({ by }) => <Text of={by} /> },
  { title: 'Why', as: 'main', from: 'wide', cell: ({ why }) => <Text of={why} /> },
]
