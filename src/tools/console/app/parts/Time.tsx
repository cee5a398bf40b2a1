import { clock } from './clock.ts'
import { relativeTime } from './relativeTime.ts'

/** How long ago or ahead, with the whole time as its title. `at`: ISO 8601. */
export function Time({ at }: { readonly at: string | undefined }) {
  const time = at === undefined ? Number.NaN : Date.parse(at)
  if (Number.isNaN(time)) return <span class="faint">unknown</span>
  return (
    <time dateTime={at} title={at}>
      {relativeTime(time, clock.value)}
    </time>
  )
}
