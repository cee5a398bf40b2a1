import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const TOKEN = 'lineclear-token'

/** The token comes in the fragment, which no server and no log sees; it is erased from the address at once. */
function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given !== null) {
    sessionStorage.setItem(TOKEN, given)
    history.replaceState(null, '', location.pathname + location.search)
  }
  return given ?? sessionStorage.getItem(TOKEN) ?? ''
}

function Session({ token }: { readonly token: string }) {
  const [shown, show] = useState('…')
  useEffect(() => {
    void fetch('/api/session', { headers: { 'x-lineclear-token': token } })
      .then(async (response) => response.text())
      .then(show, (error: unknown) => show(String(error)))
  }, [token])
  return <pre>{shown}</pre>
}

const root = document.querySelector('#app')
if (root !== null) render(<Session token={takeToken()} />, root)
