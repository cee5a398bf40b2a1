import type { TaskCounts, Total } from '../answers.ts'
import { type Query, valueOf, valuesOf } from '../address.ts'

/** Open items of one kind: a link that sets the filter. */
interface View {
  readonly title: string
  readonly status?: readonly string[]
  readonly due?: '1'
  readonly tone?: 'bad' | 'warn'
}

const IN_PROGRESS = ['inProgress', 'running', 'dying', 'accepted', 'later']

/** What waits for an operator comes before what goes on by itself. */
export const VIEWS: readonly View[] = [
  { title: 'All' },
  { title: 'Unknown outcomes', status: ['unknown'], tone: 'bad' },
  { title: 'Failed', status: ['error', 'dead'], tone: 'bad' },
  { title: 'Overdue', due: '1', tone: 'warn' },
  { title: 'Awaited steps', status: ['awaiting'] },
  { title: 'In progress', status: IN_PROGRESS },
]

export function countIn({ status, due }: View, counts: TaskCounts): Total {
  if (due !== undefined) return totalOf(counts.map((each) => ({ ...each, number: each.overdue })))
  return totalOf(counts.filter((each) => status === undefined || status.includes(each.status)))
}

/** Parameters of the listing, which are those of the route. */
export const FILTERS = ['consumer', 'stage', 'status', 'older', 'due']

/** What the listing asks for. Only tasks that go on without an operator can be overdue: parked items are due since they are parked. */
export function filterIn(query: Query): Query {
  const asked: Query = Object.fromEntries(FILTERS.map((name) => [name, query[name]]))
  const isOverdue = valueOf(query['due']) === '1' && valueOf(query['status']) === ''
  return isOverdue ? { ...asked, status: [...IN_PROGRESS, 'awaiting'] } : asked
}

/** The view that a query shows; undefined: a mixture. */
export function viewIn(query: Query): View | undefined {
  const asked = valuesOf(query['status']).toSorted().join(' ')
  const due = valueOf(query['due'])
  return VIEWS.find(
    (view) => (view.status ?? []).toSorted().join(' ') === asked && (view.due ?? '') === due,
  )
}

export function totalOf(counts: TaskCounts): Total {
  return {
    number: counts.reduce((all, { number }) => all + number, 0),
    atLeast: counts.some(({ atLeast = false, number }) => atLeast && number > 0),
  }
}
