import { type ReadonlySignal, signal } from '@preact/signals'

const now = signal(Date.now())

/** Epoch milliseconds, each second: relative times go on between two answers. */
export const clock: ReadonlySignal<number> = now

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1_000)
