import { type ReadonlySignal, signal } from '@preact/signals'

interface Note {
  readonly id: number
  readonly text: string
}

const shown = signal<readonly Note[]>([])
let last = 0

const notes: ReadonlySignal<readonly Note[]> = shown

/** Long enough to read a line, milliseconds. */
const STAYS = 4_000

/** Says something that needs no answer. Failures are said where they happen, and stay. */
function toast(text: string): void {
  last += 1
  const note = { id: last, text }
  shown.value = [...shown.value.slice(-2), note]
  setTimeout(() => {
    shown.value = shown.value.filter(({ id }) => id !== note.id)
  }, STAYS)
}

export function ToastList() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notes.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}

/** @param what it is, for the note that says so */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast(`${what} copied`)
  } catch {
    toast(`${what} could not be copied: the browser does not allow it`)
  }
}
