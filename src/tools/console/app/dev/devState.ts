import { useEffect, useRef, useState } from 'preact/hooks'
import type { BooksAnswer, DevState, FaultBody } from '../../dev/types.ts'
import { ApiError, postAnswer } from '../api.ts'
import { type Answered, give, useAnswer } from '../useAnswer.ts'

/** A double is shown within two seconds: the books are read by the server in between. Milliseconds. */
const EVERY = 700

export function useDev(): Answered<DevState> {
  return useAnswer<DevState>('dev', {}, EVERY)
}

export function useBooks(): Answered<BooksAnswer> {
  return useAnswer<BooksAnswer>('dev/books', {}, EVERY)
}

export async function setFault(body: FaultBody): Promise<void> {
  give('dev', await postAnswer<DevState>('dev/fault', body))
}

interface Try {
  readonly busy: boolean
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
      setFailure(ApiError.of(error))
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
