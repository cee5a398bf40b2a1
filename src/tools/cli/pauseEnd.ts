import { duration, flag, type Flag, kind, type Kind } from '../commands/kinds.ts'
import type { GivenOptions, Option } from '../commands/row.ts'
import { UsageError } from './usageError.ts'

/** `until` of a pause that begins now. */
export type End = (now: number) => number | undefined

const TIME = 'a time to come in ISO 8601 with its zone, such as 2026-01-31T12:00Z'
/** Epoch milliseconds. Pages give times in UTC. */
const time: Kind<number> = kind(
  'TIME',
  (text, refuse) => {
    const at = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? refuse(TIME) : at
  },
  (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/.test(text)
      ? undefined
      : 'a time such as 2026-01-31T12:00Z',
)

/** Options of which one says when a pause ends. */
export const ENDS: {
  readonly for: Option<number>
  readonly until: Option<number>
  readonly noEnd: Option<boolean> & { readonly kind: Flag }
} = {
  for: { kind: duration, help: 'it ends this long after it was applied: 30m, 2h', page: true },
  until: { kind: time, help: 'it ends then: ISO 8601, such as 2026-01-31T12:00Z', page: true },
  noEnd: { kind: flag, help: 'only lineclear resume ends it', page: true },
}

/** @throws UsageError */
export function endOf(given: GivenOptions<typeof ENDS>, now: number): End {
  const { for: lasts, until, noEnd } = given
  const ends = [lasts, until, noEnd || undefined].filter((each) => each !== undefined)
  if (ends.length !== 1) {
    throw new UsageError(
      `expected one of --for TIME, --until TIME and --no-end; got ${ends.length === 0 ? 'none' : ends.length}`,
    )
  }
  if (lasts === 0) throw new UsageError('--for: expected a time to come, such as 30m; got no time')
  if (lasts !== undefined) return (from) => from + lasts
  if (until !== undefined && until <= now) throw new UsageError(`--until: expected ${TIME}`)
  return () => until
}
