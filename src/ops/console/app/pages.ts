import type { Page } from './page.ts'
import { letters } from './pages/letters.tsx'
import { overview } from './pages/overview.tsx'
import { request } from './pages/request.tsx'
import { search } from './pages/search.tsx'
import { tasks } from './pages/tasks.tsx'

/** In the order of the navigation. */
export const PAGES: readonly Page[] = [overview, tasks, letters, request, search]
