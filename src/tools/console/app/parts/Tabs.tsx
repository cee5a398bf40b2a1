import { changed, valueOf } from '../address.ts'
import type { Total } from '../answers.ts'
import { address, href } from '../route.ts'
import type { Tone } from './statuses.ts'

interface Tab {
  readonly title: string
  readonly href: string
  readonly isNow: boolean
  readonly count?: Total
  readonly tone?: Tone | undefined
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
}

/** Views of one page. They are links, so that each can be opened in a tab of its own, and shared. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ title, href: to, isNow, count, tone }) => (
        <a
          key={title}
          href={to}
          aria-current={isNow ? 'true' : undefined}
          class={
            tone !== undefined && count !== undefined && count.number > 0 ? `tone-${tone}` : ''
          }
        >
          {title} {count !== undefined && <Count of={count} />}
        </a>
      ))}
    </nav>
  )
}

export function Count({ of: { number, atLeast } }: { readonly of: Total }) {
  return (
    <b class="count">
      {number.toLocaleString('en')}
      {atLeast && '+'}
    </b>
  )
}

/** Tabs for the values of a parameter of the URL: their titles in small letters. Without it the first one is shown. */
export function tabsOf(parameter: string, titles: readonly [string, ...string[]]) {
  const asked = valueOf(address.value.query[parameter])
  const now = titles.find((title) => title.toLowerCase() === asked) ?? titles[0]
  const tabs = titles.map((title, at): Tab => {
    const value = at === 0 ? undefined : title.toLowerCase()
    const { path, query } = changed(address.value, { [parameter]: value })
    return { title, href: href(path, query), isNow: title === now }
  })
  return { now, tabs }
}
