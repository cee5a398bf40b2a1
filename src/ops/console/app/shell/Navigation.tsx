import { PAGES } from '../pages.ts'
import { address } from '../route.ts'
import { session } from '../session.ts'

export function Navigation() {
  const { path } = address.value
  const isDev = session.value?.dev === true
  const pages = PAGES.filter(
    ({ listed, path: own }) =>
      listed === undefined ||
      (listed === 'dev' && isDev) ||
      (listed === 'unlisted' && own === path),
  )
  return (
    <nav class="pages" aria-label="Pages">
      <ul>
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
