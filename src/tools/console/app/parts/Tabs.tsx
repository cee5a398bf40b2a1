import { address, href } from '../route.ts'
import { changed, valueOf } from '../address.ts'

interface Tab {
  readonly name: string
  readonly title: string
}

interface TabsProps {
  readonly label: string
  /** The parameter of the URL that holds the name of the tab; without it the first one is shown. */
  readonly parameter: string
  readonly tabs: readonly Tab[]
}

/** Views of one page. They are links, so that each can be opened in a tab of its own, and shared. */
export function Tabs({ label, parameter, tabs }: TabsProps) {
  const now = tabOf(parameter, tabs)
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, title }, at) => {
        const { path, query } = changed(address.value, { [parameter]: at === 0 ? undefined : name })
        return (
          <a key={name} href={href(path, query)} aria-current={name === now ? 'true' : undefined}>
            {title}
          </a>
        )
      })}
    </nav>
  )
}

/** The name of the tab that is shown. */
export function tabOf(parameter: string, tabs: readonly Tab[]): string {
  const asked = valueOf(address.value.query[parameter])
  return tabs.find(({ name }) => name === asked)?.name ?? tabs[0]?.name ?? ''
}
