import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../parts/Dialog.tsx'
import { OTHER_KEYS, type Shortcut, shortcutOf, SHORTCUTS } from './shortcuts.ts'

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
