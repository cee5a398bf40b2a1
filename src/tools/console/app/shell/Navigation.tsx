import { useEffect, useRef } from 'preact/hooks'
import { useQueues, useStats } from '../counts.ts'
import { PAGES } from '../pages.ts'
import { address } from '../route.ts'
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
  const numbers = useNumbers()
  const number = Object.hasOwn(numbers, of) ? (numbers[of] ?? 0) : 0
  return number === 0 ? null : <b class="count">{number.toLocaleString('en')}</b>
}

function useNumbers(): Readonly<Record<string, number>> {
  const counts = useStats().answer?.counts ?? []
  const queues = useQueues().answer?.queues ?? []
  return {
    '/tasks': counts.reduce((sum, { number }) => sum + number, 0),
    '/letters': queues.reduce(
      (sum, { visible, inFlight, delayed }) => sum + visible + inFlight + delayed,
      0,
    ),
    '/pauses': usePauses().length,
  }
}
