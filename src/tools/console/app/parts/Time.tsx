import { type ReadonlySignal, signal } from '@preact/signals'
import { formatRelative } from '../../../operator/text/humanTime.ts'

const now = signal(Date.now())

/** Epoch milliseconds, each second: relative times go on between two answers. */
export const clock: ReadonlySignal<number> = now

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1_000)

/** How long ago or ahead, with the whole time as its title. `at`: ISO 8601. */
export function Time({ at }: { readonly at: string | undefined }) {
  const time = at === undefined ? Number.NaN : Date.parse(at)
  if (Number.isNaN(time)) return <span class="faint">unknown</span>
  return (
    <time dateTime={at} title={at}>
      {formatRelative(time, clock.value)}
    </time>
  )
}
