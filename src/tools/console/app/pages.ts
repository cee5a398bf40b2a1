import type { ComponentType } from 'preact'
import { Dev } from './pages/dev.tsx'
import { Doctor } from './pages/doctor.tsx'
import { History } from './pages/history.tsx'
import { Letters } from './pages/letters.tsx'
import { Overview } from './pages/overview.tsx'
import { Pauses } from './pages/pauses.tsx'
import { Request } from './pages/request.tsx'
import { Search } from './pages/search.tsx'
import { Tasks } from './pages/tasks.tsx'

export interface Page {
  /** @example '/tasks' */
  readonly path: string
  readonly title: string
  readonly View: ComponentType
  /**
   * `unlisted`: it is about one thing, and links lead to it. `dev`: only `lineclear dev` has it. Default: listed.
   */
  readonly listed?: 'unlisted' | 'dev'
}

export const PAGES: readonly Page[] = [
  { path: '/', title: 'Overview', View: Overview },
  { path: '/tasks', title: 'Open items', View: Tasks },
  { path: '/letters', title: 'Dead letters', View: Letters },
  { path: '/pauses', title: 'Pauses', View: Pauses },
  { path: '/history', title: 'History', View: History },
  { path: '/request', title: 'Request', View: Request, listed: 'unlisted' },
  { path: '/search', title: 'Search', View: Search, listed: 'unlisted' },
  { path: '/doctor', title: 'Doctor', View: Doctor, listed: 'unlisted' },
  { path: '/dev', title: 'Dev', View: Dev, listed: 'dev' },
]
