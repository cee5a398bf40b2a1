import type { AuditEntry } from '../../../../library/entries/sweeper/audit/auditRow.ts'
import { valueOf } from '../address.ts'
import { ChoiceFilter, TextFilter, TickFilter } from '../parts/fields.tsx'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Id } from '../parts/Id.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'
import { address, go, href, setQuery } from '../route.ts'
import { useAnswer } from '../useAnswer.ts'
import { hasProgress, toneOf } from './history/entries.ts'
import { Handover } from './history/Handover.tsx'
import { OperationView } from './history/OperationView.tsx'
import { Glyph, Status } from '../parts/Status.tsx'

const FILTERS = ['since', 'who', 'action', 'id'] as const
const SINCE = [
  ['', '7 days'],
  ['1d', '1 day'],
  ['30d', '30 days'],
  ['400d', 'all'],
] as const
const ACTIONS = [
  ['', 'any action'],
  ...['decide', 'dlq', 'pause', 'resume'].map((each) => [each, each] as const),
] as const

export function History() {
  const plan = valueOf(address.value.query['plan'])
  if (valueOf(address.value.query['handover']) === '1') return <Handover />
  return plan === '' ? <Changes /> : <OperationView key={plan} plan={plan} />
}

function Changes() {
  const { query } = address.value
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query[name]]))
  const answered = useAnswer<{ readonly entries: readonly AuditEntry[] }>('request', {
    history: '1',
    ...filter,
  })
  const many = valueOf(query['many']) === '1'
  const isFiltered = many || FILTERS.some((name) => valueOf(query[name]) !== '')
  return (
    <>
      <Filters />
      <Answer of={answered}>
        {({ entries: all }) => {
          const entries = all.filter((entry) => !many || hasProgress(entry))
          if (entries.length === 0) return <Nothing isFiltered={isFiltered} />
          const shown = entries.find((entry) => keyOf(entry) === valueOf(query['entry']))
          return (
            <>
              {shown !== undefined && <Entry of={shown} />}
              <Table
                label="Changes by operators"
                columns={COLUMNS}
                rows={entries}
                open={(entry) =>
                  hasProgress(entry)
                    ? go('/history', { plan: entry.plan })
                    : setQuery({ entry: keyOf(entry) })
                }
              />
            </>
          )
        }}
      </Answer>
    </>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No change matches.">
      <a href="/history">Clear all filters</a>
    </Empty>
  ) : (
    <Empty title="No change in 7 days.">
      Each change by a command or in the console has a row, written before the change: who, what,
      why, plan and result. Rows are kept for 400 days.
    </Empty>
  )
}

function keyOf({ at, plan, id }: AuditEntry): string {
  return [at, plan, id].join(' ')
}

function Filters() {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <ChoiceFilter name="since" label="Since" options={SINCE} />
      <ChoiceFilter name="action" label="Action" options={ACTIONS} />
      <TextFilter name="who" label="Who" hint="who" />
      <TextFilter
        name="id"
        label="What was changed"
        hint="consumer/ID, flow/KEY or queue"
        look="wide"
      />
      <TickFilter name="many" label="only operations on many items" />
      <a class="button" href="/history?handover=1">
        Hand over
      </a>
    </form>
  )
}

function Entry({ of: { action, id, plan, why, command, result } }: { readonly of: AuditEntry }) {
  return (
    <section class="panel" aria-label="Change">
      <div class="bar">
        <h2>
          {action} <span class="faint">plan {plan}</span>
        </h2>
        <button type="button" class="quiet" onClick={() => setQuery({ entry: undefined })}>
          close
        </button>
      </div>
      <p>{id}</p>
      <p>Why: {why}</p>
      <code>{command}</code>
      {result === 'begun' && (
        <p class="tone-bad">
          <Glyph of="✖" />
          Its command was killed, or the table did not answer. Check the item that it changes.
        </p>
      )}
    </section>
  )
}

/** Requests, keys and flows have a page; queues, mappings and groups have not. */
function linkOf({ action, id }: AuditEntry): { readonly to?: null } {
  const isItem = action.startsWith('decide ') && !id.startsWith('group ')
  return isItem ? {} : { to: null }
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', cell: ({ by }) => by },
  { title: 'Action', cell: ({ action }) => action },
  { title: 'What', from: 'middle', cell: (entry) => <Id of={entry.id} {...linkOf(entry)} /> },
  {
    title: 'Result',
    cell: (entry) =>
      hasProgress(entry) ? (
        <a href={href('/history', { plan: entry.plan })}>
          <Result of={entry.result} />
        </a>
      ) : (
        <Result of={entry.result} />
      ),
  },
  { title: 'Why', as: 'main', from: 'middle', cell: ({ why }) => why },
]

function Result({ of }: { readonly of: string }) {
  const [word = '', ...rest] = of.split(':')
  return (
    <>
      <Status of={word} tone={toneOf(word)} />
      {rest.length > 0 && <span class="faint">{rest.join(':')}</span>}
    </>
  )
}
