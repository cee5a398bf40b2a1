import type { Page } from './page.ts'
import { dev } from './pages/dev.tsx'
import { letters } from './pages/letters.tsx'
import { map } from './pages/map.tsx'
import { overview } from './pages/overview.tsx'
import { request } from './pages/request.tsx'
import { search } from './pages/search.tsx'
import { send } from './pages/send.tsx'
import { tasks } from './pages/tasks.tsx'

/** In the order of the navigation. */
export const PAGES: readonly Page[] = [overview, map, tasks, letters, request, search, dev, send]
