import { useEffect, useRef } from 'preact/hooks'
import { PAGES } from '../pages.ts'
import { address } from '../route.ts'
import { session } from '../session.ts'

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
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
