import { type ReadonlySignal, signal } from '@preact/signals'
import { type Address, type Query, readAddress, writeAddress } from './address.ts'

const current = signal<Address>(here())

export const address: ReadonlySignal<Address> = current

addEventListener('popstate', () => {
  current.value = here()
})

function here(): Address {
  return readAddress(location.pathname, location.search)
}

/** Opens a page. `replace`: without a step in the history, such as for each letter of a filter. */
export function go(path: string, query: Query = {}, { replace = false } = {}): void {
  const next = { path, query }
  const url = writeAddress(next)
  if (url === writeAddress(current.value)) return
  history[replace ? 'replaceState' : 'pushState'](null, '', url)
  current.value = here()
}

export function setQuery(changes: Query, options?: { readonly replace?: boolean }): void {
  const { path, query } = current.value
  go(path, { ...query, ...changes }, options)
}

export function href(path: string, query: Query = {}): string {
  return writeAddress({ path, query })
}

/** Links within the console change the page without loading it again; with a modifier the browser opens its tab or window. */
export function followLinks(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain =
    event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (link === null || !isPlain || event.defaultPrevented) return
  if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return
  // A jump within the page is the browser's.
  if (link.hash !== '' && link.pathname === location.pathname) return
  event.preventDefault()
  const { path, query } = readAddress(link.pathname, link.search)
  go(path, query)
}
