import type { Counts } from '../answers.ts'
import { ChoiceFilter, TextFilter } from '../parts/fields.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { address, href } from '../route.ts'
import { totalOf, viewIn, VIEWS } from './views.ts'

const AGES = [
  ['', 'any age'],
  ...['10m', '1h', '6h', '1d', '7d'].map((age) => [age, `older than ${age}`] as const),
] as const

/** Of a listing of open items. Each is a parameter of the URL. */
export function Filters({ counts }: { readonly counts: Counts }) {
  const owners = [...new Set(counts.map(({ of }) => of))].toSorted()
  return (
    <>
      <Views counts={counts} />
      <div class="filters">
        <TextFilter
          name="consumer"
          label="Consumer, scope or flow"
          hint="consumer or flow"
          list={owners}
        />
        <TextFilter name="stage" label="Stage or step" hint="stage" look="short" />
        <ChoiceFilter name="older" label="Age" options={AGES} />
      </div>
    </>
  )
}

/** What is open, by what has to be done about it. The other filters stay. */
function Views({ counts }: { readonly counts: Counts }) {
  const { query } = address.value
  const now = viewIn(query)
  const tabs = VIEWS.map((view) => ({
    title: view.title,
    href: href('/tasks', { ...query, status: view.status, due: view.due, after: undefined }),
    isNow: view === now,
    tone: view.tone,
    count: totalOf(view.of(counts)),
  }))
  return <Tabs label="Views" tabs={tabs} />
}
