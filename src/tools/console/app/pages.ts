import type { Page } from './page.ts'
import { map } from './pages/map.tsx'
import { overview } from './pages/overview.tsx'
import { request } from './pages/request.tsx'
import { search } from './pages/search.tsx'
import { tasks } from './pages/tasks.tsx'
import { later } from './parts/later.tsx'

const operator = () => import('./pages/operatorViews.ts')
const developer = () => import('./pages/developerViews.ts')

/** In the order of the navigation. What is seen first is loaded first, the rest in two parts when it is asked for. */
export const PAGES: readonly Page[] = [
  overview,
  map,
  tasks,
  { path: '/letters', title: 'Dead letters', View: later(async () => (await operator()).Letters) },
  {
    path: '/doubts',
    title: 'Unknown outcomes',
    View: later(async () => (await operator()).Doubts),
  },
  { path: '/steps', title: 'Awaited steps', View: later(async () => (await operator()).Steps) },
  {
    path: '/operation',
    title: 'Operations',
    View: later(async () => (await operator()).Operation),
  },
  { path: '/pauses', title: 'Pauses', View: later(async () => (await operator()).Pauses) },
  { path: '/audit', title: 'Audit', View: later(async () => (await operator()).Audit) },
  { path: '/doctor', title: 'Doctor', View: later(async () => (await operator()).Doctor) },
  { path: '/sweep', title: 'Sweep', View: later(async () => (await operator()).Sweep) },
  request,
  search,
  { path: '/dev', title: 'Dev', View: later(async () => (await developer()).Dev), listed: 'dev' },
  {
    path: '/send',
    title: 'Send',
    View: later(async () => (await developer()).Send),
    listed: 'dev',
  },
]
