import { useEffect, useRef, useState } from 'preact/hooks'
import { valueOf } from '../address.ts'
import { contact } from '../followServer.ts'
import { live, period, refresh, setLive } from '../live.ts'
import { address, go } from '../route.ts'
import { session } from '../api.ts'

export function Header() {
  return (
    <header class="top">
      <a class="brand" href="/" aria-label="Lineclear, overview">
        <Signal />
        <span>Lineclear</span>
      </a>
      <Badge />
      <Search />
      <div class="top-tools">
        <Follow />
      </div>
    </header>
  )
}

/** A semaphore that shows clear. */
function Signal() {
  return (
    <svg class="signal" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path class="post" d="M4 1v14M1.5 15h5" />
      <path class="arm" d="M4 4.5 13.5 9" />
    </svg>
  )
}

/** Where one is: an account must not be taken for the own machine. */
function Badge() {
  const { value } = session
  if (value === undefined) return null
  const { local, table, region, account, canChange } = value
  const place = [account, region].filter((each) => each !== undefined).join(' ')
  return (
    <span class={local ? 'badge local' : 'badge account'}>
      <span aria-hidden="true">{local ? '●' : '▲'}</span>
      <b>{local ? 'local' : 'account'}</b>
      <span class="badge-table">{table}</span>
      {!local && place !== '' && <span>{place}</span>}
      <span
        class="badge-mode"
        title={canChange ? undefined : 'Started with --allow-changes it can also change something'}
      >
        {canChange ? 'may change' : 'read-only'}
      </span>
    </span>
  )
}

function Search() {
  const { path, query } = address.value
  const asked = path === '/search' ? valueOf(query['id']) : ''
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isSlash(event)) return
      // Otherwise the browser types the slash into the field that has just got the focus, or opens its own search.
      event.preventDefault()
      field.current?.select()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        const id = (typed ?? asked).trim()
        if (id !== '') go('/search', { id })
        setTyped(undefined)
      }}
    >
      <input
        ref={field}
        type="search"
        name="id"
        aria-label="Search any id"
        placeholder="search any id  ( / )"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        value={typed ?? asked}
        onInput={({ currentTarget: { value } }) => setTyped(value)}
      />
    </form>
  )
}

/** In a field it is a letter, and what lies behind a dialog takes no keys. */
function isSlash({
  key,
  ctrlKey,
  metaKey,
  altKey,
  defaultPrevented,
  target,
}: KeyboardEvent): boolean {
  if (key !== '/' || ctrlKey || metaKey || altKey || defaultPrevented) return false
  const isField = target instanceof Element && target.matches('input, textarea, select')
  return !isField && document.querySelector('dialog[open]') === null
}

function Follow() {
  const { look, word, title } = followed()
  return (
    <>
      <button
        type="button"
        class={`quiet follow ${look}`}
        aria-pressed={live.value}
        title={title}
        onClick={() => setLive(!live.value)}
      >
        <span class="dot" aria-hidden="true" />
        {word}
      </button>
      <button type="button" class="quiet" title="Read again now" onClick={refresh}>
        <span aria-hidden="true">⟳</span>
        <span class="unseen">Refresh</span>
      </button>
    </>
  )
}

/** Green only beside what is known to be answered. */
function followed(): { readonly look: string; readonly word: string; readonly title: string } {
  if (!live.value) return { look: 'still', word: 'still', title: 'Not refreshed' }
  const seconds = period.value / 1_000
  return {
    answers: {
      look: 'live',
      word: 'live',
      title: `Read again every ${seconds} s while it is visible`,
    },
    waiting: {
      look: 'waiting',
      word: 'waiting',
      title: 'It was asked, and has not answered yet: what is shown may be old',
    },
    silent: { look: 'silent', word: 'no answer', title: 'What is shown is old' },
  }[contact.value]
}
