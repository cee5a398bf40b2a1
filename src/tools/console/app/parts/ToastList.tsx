import { notes } from './toasts.ts'

export function ToastList() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notes.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
