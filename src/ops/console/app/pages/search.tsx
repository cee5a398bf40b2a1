import type { Page } from '../page.ts'
import { Empty } from '../parts/Empty.tsx'

export const search: Page = { path: '/search', title: 'Search', View: Search, listed: 'unlisted' }

function Search() {
  return <Empty title="To come." />
}
