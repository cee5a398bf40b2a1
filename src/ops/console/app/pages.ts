import type { Page } from './page.ts'
import { audit } from './pages/audit.tsx'
import { dev } from './pages/dev.tsx'
import { doctor } from './pages/doctor.tsx'
import { doubts } from './pages/doubts.tsx'
import { letters } from './pages/letters.tsx'
import { map } from './pages/map.tsx'
import { operation } from './pages/operation.tsx'
import { overview } from './pages/overview.tsx'
import { pauses } from './pages/pauses.tsx'
import { request } from './pages/request.tsx'
import { search } from './pages/search.tsx'
import { send } from './pages/send.tsx'
import { steps } from './pages/steps.tsx'
import { sweep } from './pages/sweep.tsx'
import { tasks } from './pages/tasks.tsx'

/** In the order of the navigation. */
export const PAGES: readonly Page[] = [
  overview,
  map,
  tasks,
  letters,
  doubts,
  steps,
  operation,
  pauses,
  audit,
  doctor,
  sweep,
  request,
  search,
  dev,
  send,
]
