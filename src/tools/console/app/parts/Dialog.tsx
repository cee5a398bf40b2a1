import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  /** Called by Escape, by the button, and when it is closed in any other way. */
  readonly close: () => void
  readonly children: ComponentChildren
}

/** A dialog of the browser: it keeps the focus inside, closes on Escape, and gives the focus back. Its heading takes the focus of what goes. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const { current: element } = dialog
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={heading} onClose={close}>
      <div class="dialog-head">
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="icon" onClick={close}>
          <span aria-hidden="true">×</span>
          <span class="unseen">Close</span>
        </button>
      </div>
      {children}
    </dialog>
  )
}
