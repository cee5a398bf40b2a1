import type { AuditEntry } from '../../../../sweeper/audit/auditRow.ts'
import { valueOf } from '../address.ts'
import { AsCommand } from '../parts/AsCommand.tsx'
import { Empty, Failure, Skeleton } from '../parts/standIns.tsx'
import { Facts } from '../parts/Facts.tsx'
import { Id } from '../parts/Id.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Text } from '../parts/Text.tsx'
import { Time } from '../parts/Time.tsx'
import { address, go, href, setQuery } from '../route.ts'
import { useAnswer } from '../useAnswer.ts'
import { isOfMany, toneOf } from './history/entries.ts'
import { OperationView } from './history/OperationView.tsx'
import { Status } from '../parts/Status.tsx'

const FILTERS = ['since', 'who', 'action', 'id'] as const
const SINCE = [
  ['', '7 days'],
  ['1d', '1 day'],
  ['30d', '30 days'],
  ['400d', 'all'],
] as const
const ACTIONS = ['tokens', 'awaits', 'flow', 'delays', 'dlq', 'pause', 'resume']

/** Who has changed what; and how far the changes of many items are. */
export function History() {
  const plan = valueOf(address.value.query['plan'])
  return plan === '' ? <Changes /> : <OperationView key={plan} plan={plan} />
}

function Changes() {
  const { query } = address.value
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query[name]]))
  const { answer, failure, loading, refresh } = useAnswer<{
    readonly entries: readonly AuditEntry[]
  }>('audit', filter)
  const many = valueOf(query['many']) === '1'
  const entries = answer?.entries.filter((entry) => !many || isOfMany(entry)) ?? []
  const shown = entries.find((entry) => keyOf(entry) === valueOf(query['entry']))
  const isFiltered = many || FILTERS.some((name) => valueOf(query[name]) !== '')
  return (
    <>
      <Filters />
      {failure !== undefined && <Failure of={failure} again={refresh} />}
      {shown !== undefined && <Entry of={shown} />}
      {loading ? (
        <Skeleton lines={8} />
      ) : entries.length === 0 && answer !== undefined ? (
        isFiltered ? (
          <Empty title="No change matches.">
            <a href="/history">Clear all filters</a>
          </Empty>
        ) : (
          <Empty title="No change in 7 days.">
            Each change by a command or in the console has a row, written before the change: who,
            what, why, plan and result. Rows are kept for 400 days.
          </Empty>
        )
      ) : (
        <Table
          label="Changes by operators"
          columns={COLUMNS}
          rows={entries}
          keyOf={keyOf}
          open={(entry) =>
            isOfMany(entry)
              ? go('/history', { plan: entry.plan })
              : setQuery({ entry: keyOf(entry) })
          }
        />
      )}
      <AsCommand of={answer} />
    </>
  )
}

function keyOf({ at, plan, id }: AuditEntry): string {
  return [at, plan, id].join(' ')
}

function Filters() {
  const { query } = address.value
  const set = (name: string, value: string): void =>
    setQuery({ [name]: value.trim(), entry: undefined })
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <select
        aria-label="Since"
        value={valueOf(query['since'])}
        onChange={({ currentTarget: { value } }) => set('since', value)}
      >
        {SINCE.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
      <select
        aria-label="Action"
        value={valueOf(query['action'])}
        onChange={({ currentTarget: { value } }) => set('action', value)}
      >
        <option value="">any action</option>
        {ACTIONS.map((action) => (
          <option key={action}>{action}</option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Who"
        placeholder="who"
        value={valueOf(query['who'])}
        onChange={({ currentTarget: { value } }) => set('who', value)}
      />
      <input
        type="search"
        class="wide"
        aria-label="What was changed"
        placeholder="consumer/ID, flow/KEY or queue"
        value={valueOf(query['id'])}
        onChange={({ currentTarget: { value } }) => set('id', value)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={valueOf(query['many']) === '1'}
          onChange={({ currentTarget: { checked } }) => set('many', checked ? '1' : '')}
        />
        <span>only operations on many items</span>
      </label>
    </form>
  )
}

function Entry({ of }: { readonly of: AuditEntry }) {
  const { at, by, why, action, id, plan, command, result } = of
  return (
    <section class="panel" aria-label="Change">
      <div class="bar">
        <h2>
          <Text of={action} />
        </h2>
        <button type="button" class="quiet" onClick={() => setQuery({ entry: undefined })}>
          close
        </button>
      </div>
      <Facts
        of={[
          { name: 'What', value: <Id of={id} {...linkOf(of)} copies /> },
          { name: 'When', value: <Time at={at} /> },
          { name: 'Who', value: <Text of={by} /> },
          { name: 'Result', value: <Result of={result} /> },
          {
            name: 'Plan',
            value: isOfMany(of) ? <a href={href('/history', { plan })}>{plan}</a> : plan,
          },
        ]}
      />
      <p>
        Why: <Text of={why} />
      </p>
      <code>
        <Text of={command} />
      </code>
      {result === 'begun' && (
        <p class="tone-bad">
          <span aria-hidden="true">✖ </span>
          Its command was killed, or the table did not answer. Check the item that it changes.
        </p>
      )}
    </section>
  )
}

/** Requests, keys and flows have a page; queues, mappings and groups have not. */
function linkOf({ action, id }: AuditEntry): { readonly to?: null } {
  const isItem = /^(?:tokens|awaits|flow|delays) /.test(action) && !id.startsWith('group ')
  return isItem ? {} : { to: null }
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', cell: ({ by }) => <Text of={by} /> },
  { title: 'Action', cell: ({ action }) => <Text of={action} /> },
  { title: 'What', from: 'middle', cell: (entry) => <Id of={entry.id} {...linkOf(entry)} /> },
  {
    title: 'Result',
    cell: (entry) =>
      isOfMany(entry) ? (
        <a href={href('/history', { plan: entry.plan })}>
          <Result of={entry.result} />
        </a>
      ) : (
        <Result of={entry.result} />
      ),
  },
  { title: 'Why', as: 'main', from: 'middle', cell: ({ why }) => <Text of={why} /> },
]

/** Of a change: by glyph and word. */
function Result({ of }: { readonly of: string }) {
  const [word = '', ...rest] = of.split(':')
  return (
    <>
      <Status of={word} tone={toneOf(word)} />
      {rest.length > 0 && (
        <span class="faint">
          <Text of={rest.join(':')} />
        </span>
      )}
    </>
  )
}
