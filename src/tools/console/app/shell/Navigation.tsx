import { useEffect, useRef } from 'preact/hooks'
import { useOpen, usePauses, useQueues } from '../counts.ts'
import { PAGES } from '../pages.ts'
import type { Total } from '../answers.ts'
import { Count } from '../parts/Tabs.tsx'
import { address } from '../route.ts'
import { totalOf } from '../tasks/views.ts'
import { session } from '../api.ts'

export function Navigation() {
  const { path } = address.value
  const list = useRef<HTMLUListElement>(null)
  // On a narrow screen the list scrolls, and where one is must be seen.
  useEffect(() => {
    list.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  const pages = PAGES.filter(
    ({ listed, path: own }) =>
      listed === undefined ||
      (listed === 'unlisted' ? own === path : session.value?.[listed] === true),
  )
  return (
    <nav class="pages" aria-label="Pages">
      <ul ref={list}>
        {pages.map(({ path: own, title, listed }) => (
          <li key={own} class={listed === 'dev' ? 'dev' : ''}>
            <a href={own} aria-current={own === path ? 'page' : undefined}>
              {title}
              {session.value !== undefined && <CountOf page={own} />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** How many things a page has; nothing is said of none. */
function CountOf({ page }: { readonly page: string }) {
  const total = useTotals().get(page)
  return total === undefined || total.number === 0 ? null : <Count of={total} />
}

/** By the path of a page. */
function useTotals(): ReadonlyMap<string, Total> {
  const queues = useQueues().answer?.queues ?? []
  const letters = queues.map(({ visible, inFlight, delayed }) => visible + inFlight + delayed)
  return new Map([
    ['/tasks', totalOf(useOpen().answer?.counts ?? [])],
    ['/letters', exactly(letters.reduce((sum, each) => sum + each, 0))],
    ['/pauses', exactly(usePauses().answer?.pauses.length ?? 0)],
  ])
}

function exactly(number: number): Total {
  return { number, atLeast: false }
}
