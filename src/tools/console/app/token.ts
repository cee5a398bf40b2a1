const KEY = 'lineclear-token'

/** The token comes in the fragment, which no server and no log sees. It is erased from the address, and kept for this tab only. */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given === null) return
  sessionStorage.setItem(KEY, given)
  history.replaceState(null, '', location.pathname + location.search)
}

export function token(): string {
  return sessionStorage.getItem(KEY) ?? ''
}
