import { useEffect, useRef } from 'preact/hooks'
import { useQueues, useOpen } from '../counts.ts'
import { PAGES } from '../pages.ts'
import { address } from '../route.ts'
import { totalOf } from '../tasks/views.ts'
import { session } from '../session.ts'
import { usePauses } from './Pauses.tsx'

export function Navigation() {
  const { path } = address.value
  const list = useRef<HTMLUListElement>(null)
  // On a narrow screen the list scrolls, and where one is must be seen.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [path])
  const isDev = session.value?.dev === true
  const pages = PAGES.filter(
    ({ listed, path: own }) =>
      listed === undefined ||
      (listed === 'dev' && isDev) ||
      (listed === 'unlisted' && own === path),
  )
  return (
    <nav class="pages" aria-label="Pages">
      <ul ref={list}>
        {pages.map(({ path: own, title, listed }) => (
          <li key={own} class={listed === 'dev' ? 'dev' : ''}>
            <a href={own} aria-current={own === path ? 'page' : undefined}>
              {title}
              {session.value !== undefined && <Count of={own} />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** How many things a page has; nothing is said of none. */
function Count({ of }: { readonly of: string }) {
  const totals = useTotals()
  const { number, atLeast } = totals.get(of) ?? NONE
  if (number === 0) return null
  return (
    <b class="count">
      {number.toLocaleString('en')}
      {atLeast && '+'}
    </b>
  )
}

const NONE = { number: 0, atLeast: false }

/** By the path of a page. */
function useTotals(): ReadonlyMap<string, typeof NONE> {
  const queues = useQueues().answer?.queues ?? []
  const letters = queues.map(({ visible, inFlight, delayed }) => visible + inFlight + delayed)
  return new Map([
    ['/tasks', totalOf(useOpen().answer?.counts ?? [])],
    ['/letters', { ...NONE, number: letters.reduce((sum, each) => sum + each, 0) }],
    ['/pauses', { ...NONE, number: usePauses().length }],
  ])
}
