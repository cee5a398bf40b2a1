import { counted } from '../../parts/counted.ts'
import { type Asked, planChange } from '../../parts/plans.ts'
import { setQuery } from '../../route.ts'

type Given = Readonly<Record<string, unknown>>

/** What a change is about. */
interface Scope {
  readonly given: Given
  readonly count: number | undefined
}

const ELSEWHERE: readonly Asked[] = [
  {
    name: 'to',
    label: 'Target queue (default: the source queue of each)',
    kind: 'text',
    hint: 'name, URL or ARN',
    optional: true,
  },
  {
    name: 'rate',
    label: 'Highest rate in dead letters a second; starts with 1, 2, 5, 10 … (default: 50)',
    kind: 'number',
    hint: '50',
    optional: true,
  },
  {
    name: 'stopAfter',
    label: 'Stop after this many failures among the first 100 (default: 3)',
    kind: 'number',
    hint: '3',
    optional: true,
  },
]

const KEEP: readonly Asked[] = [
  {
    name: 'keep',
    label: 'Can be restored for (default: 30d)',
    kind: 'text',
    hint: '30d',
    optional: true,
  },
]

/** @param ask for another queue, a rate and when to stop, before the plan is made */
export function redrive({ given, count }: Scope, ask = false): void {
  planChange({
    action: 'dlq.redrive',
    given,
    title: `Redrive ${lettersOf(count)}`,
    ...(ask && { ask: ELSEWHERE }),
    applied: chooseNone,
  })
}

export function discard({ given, count }: Scope): void {
  const title = `Discard ${lettersOf(count)}`
  planChange({ action: 'dlq.discard', given, title, ask: KEEP, applied: chooseNone })
}

function lettersOf(count: number | undefined): string {
  return count === undefined ? 'all dead letters of the selection' : counted(count, 'dead letter')
}

/** They are gone, or have other message ids. */
function chooseNone(): void {
  setQuery({ chosen: undefined }, { replace: true })
}
