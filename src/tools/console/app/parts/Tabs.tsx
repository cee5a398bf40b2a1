import type { Total } from '../answers.ts'
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
