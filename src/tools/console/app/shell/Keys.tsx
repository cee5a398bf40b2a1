import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../parts/Dialog.tsx'

/** The keys of every page, and the button that lists them. */
export function Keys() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target instanceof Element ? event.target : null
      const isModal = document.querySelector('dialog[open]') !== null
      const key = shortcutOf(event, target, isModal)
      if (key === undefined) return
      // Otherwise the browser types the slash into the field that has just got the focus, or opens its own search.
      event.preventDefault()
      if (key === '?') setOpen(true)
      else document.querySelector<HTMLInputElement>('.search input')?.select()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button type="button" class="quiet" title="Keys" onClick={() => setOpen(true)}>
        <span aria-hidden="true">?</span>
        <span class="unseen">Keys</span>
      </button>
      {isOpen && (
        <Dialog title="Keys" close={() => setOpen(false)}>
          <dl class="facts keys">
            {[...SHORTCUTS, ...OTHER_KEYS].map(({ key, what }: Shortcut) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}

/** What a key does on every page. */
interface Shortcut {
  readonly key: string
  readonly what: string
}

const SHORTCUTS = [
  { key: '/', what: 'Search any id' },
  { key: '?', what: 'These keys' },
] as const satisfies readonly Shortcut[]

/** Keys that the browser and the parts have by themselves. */
const OTHER_KEYS: readonly Shortcut[] = [
  { key: 'Esc', what: 'Close a dialog' },
  { key: 'Tab', what: 'Next link, button or field' },
  { key: '↑ ↓', what: 'In a list: another line. In the waterfall: another bar' },
  { key: 'Enter', what: 'Open the line' },
]

interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly defaultPrevented: boolean
}

/** An element. */
interface Target {
  matches(selectors: string): boolean
}

/**
 * @param target where the key was pressed: in a field it is a letter
 * @param isModal whether a dialog is open: what lies behind it takes no keys
 * @returns undefined: the key is the browser's
 */
export function shortcutOf(
  { key, ctrlKey, metaKey, altKey, defaultPrevented }: Pressed,
  target: Target | null,
  isModal: boolean,
): (typeof SHORTCUTS)[number]['key'] | undefined {
  if (ctrlKey || metaKey || altKey || defaultPrevented || isModal) return undefined
  if (target?.matches(FIELDS) === true) return undefined
  return SHORTCUTS.find((each) => each.key === key)?.key
}

const FIELDS = 'input, textarea, select, [contenteditable]'
