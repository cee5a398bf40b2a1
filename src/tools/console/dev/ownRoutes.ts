import type { OwnRoutes } from '../ownRoutes.ts'
import type { DevRoutes } from './types.ts'

/** The routes by their names behind `/api/`. */
export function ownRoutes({ state, books, send, fault, reload, save }: DevRoutes): OwnRoutes {
  return {
    get: { dev: state, 'dev/books': books },
    post: { 'dev/send': send, 'dev/fault': fault, 'dev/reload': reload, 'dev/save': save },
  }
}
