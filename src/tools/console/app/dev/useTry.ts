import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'

interface Try {
  /** It is on its way. */
  readonly busy: boolean
  /** Why the last one failed. */
  readonly failure: ApiError | undefined
  run(work: () => Promise<void>): void
}

/** Does what can fail, one after the other: the last that was asked for is done last. */
export function useTry(): Try {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiError | undefined>(undefined)
  const last = useRef(Promise.resolve())
  const pressed = useRef<Element>(null)
  useEffect(() => {
    if (!busy) giveBackFocus(pressed)
  }, [busy])
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    pressed.current ??= document.activeElement
    setBusy(true)
    try {
      await work()
      setFailure(undefined)
    } catch (error) {
      setFailure(error instanceof ApiError ? error : new ApiError(500, String(error)))
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    failure,
    run: (work) => {
      last.current = last.current.then(async () => attempt(work))
    },
  }
}

/** A button that is disabled while it works loses the focus, and who uses a keyboard their place. */
function giveBackFocus(pressed: { current: Element | null }): void {
  const { current: button } = pressed
  pressed.current = null
  const nobodyHasIt = document.activeElement === null || document.activeElement === document.body
  if (nobodyHasIt && button instanceof HTMLElement && button.isConnected) button.focus()
}
