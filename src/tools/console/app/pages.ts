import type { ComponentType } from 'preact'
import { Overview } from './pages/overview.tsx'
import { Tasks } from './pages/tasks.tsx'
import { later } from './parts/standIns.tsx'

/** A page of the console. Its state is the query of the URL. */
export interface Page {
  /** @example '/tasks' */
  readonly path: string
  /** For the navigation, the heading and the title of the tab. */
  readonly title: string
  readonly View: ComponentType
  /** `unlisted`: it is about one thing, and links lead to it. `dev`: only `lineclear dev` has it. Default: listed. */
  readonly listed?: 'unlisted' | 'dev'
}

const operator = () => import('./pages/operatorViews.ts')

/** In the order of the navigation. What is seen first is loaded first, the rest when it is asked for. */
export const PAGES: readonly Page[] = [
  { path: '/', title: 'Overview', View: Overview },
  { path: '/tasks', title: 'Open items', View: Tasks },
  { path: '/letters', title: 'Dead letters', View: later(async () => (await operator()).Letters) },
  { path: '/map', title: 'Map', View: later(async () => (await operator()).MapPage) },
  { path: '/pauses', title: 'Pauses', View: later(async () => (await operator()).Pauses) },
  { path: '/history', title: 'History', View: later(async () => (await operator()).History) },
  {
    path: '/request',
    title: 'Request',
    View: later(async () => (await operator()).Request),
    listed: 'unlisted',
  },
  {
    path: '/search',
    title: 'Search',
    View: later(async () => (await operator()).Search),
    listed: 'unlisted',
  },
  {
    path: '/doctor',
    title: 'Doctor',
    View: later(async () => (await operator()).Doctor),
    listed: 'unlisted',
  },
  {
    path: '/dev',
    title: 'Dev',
    View: later(async () => (await import('./pages/dev.tsx')).Dev),
    listed: 'dev',
  },
]
