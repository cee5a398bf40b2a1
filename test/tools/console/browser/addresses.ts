import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Shops } from './shops.ts'

const APP = resolve(import.meta.dirname, '../../../../src/tools/console/app')

/** The paths of the pages that `pages.ts` of the app lists. `dev`: of those that only `lineclear dev` has. */
export function paths(of: 'console' | 'dev' = 'console'): readonly string[] {
  const [, list = ''] = readFileSync(join(APP, 'pages.ts'), 'utf8').split(
    'PAGES: readonly Page[] =',
  )
  return [...list.matchAll(/\{ *\n? *path: '([^']+)'[^{}]*\}/g)]
    .filter(([entry]) => entry.includes("listed: 'dev'") === (of === 'dev'))
    .map(([, path = '']) => path)
}

/** Pages about one thing: what it is in the broken shop. Other pages are looked at without a query. */
const THINGS: Readonly<Record<string, readonly string[]>> = {
  '/request': [
    'id=orders/order-21',
    'id=parcels/parcel-51&view=full',
    'id=parcels/parcel-53&view=compact',
    'id=returns/return-62&request=request-of-return-62&view=full',
    'id=refunds/payment-72',
  ],
  '/search': ['id=order-21', 'id=parcel-51-malta', 'id=nothing-of-the-kind'],
  '/letters': [
    '',
    'queue=orders-dead',
    'queue=orders-dead&list=1',
    'queue=mails-dead&reason=terminal&list=1',
    'queue=returns-dead&id=request-of-return-62',
    'queue=uploads&per=tenant',
  ],
  '/tasks': [
    '',
    'consumer=orders',
    'status=error&status=dead',
    'status=unknown',
    'status=awaiting',
    'due=1',
    'consumer=nobody',
  ],
  '/history': ['', 'many=1', 'handover=1'],
}

/** Where a page is looked at. */
export function addressesOf(path: string, shop: keyof Shops): readonly string[] {
  const queries = shop === 'broken' ? THINGS[path] : undefined
  return (queries ?? ['']).map((query) => (query === '' ? path : `${path}?${query}`))
}
