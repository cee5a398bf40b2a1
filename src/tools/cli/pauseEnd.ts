import { readDuration } from './readArgs.ts'
import { UsageError } from './usageError.ts'

/** `until` of a pause that begins now. */
export type End = (now: number) => number | undefined

/** @throws UsageError */
export function readEnd(
  values: {
    readonly for?: string | undefined
    readonly until?: string | undefined
    readonly 'no-end'?: boolean | undefined
  },
  now: number,
): End {
  const given = [values.for, values.until, values['no-end']].filter((each) => each !== undefined)
  if (given.length !== 1) {
    throw new UsageError(
      `expected one of --for AGE, --until TIME and --no-end; got ${given.length === 0 ? 'none' : given.length}`,
    )
  }
  const lasts = readDuration('--for', values.for)
  if (lasts === 0) throw new UsageError('--for: expected a time to come, such as 30m; got no time')
  if (lasts !== undefined) return (from) => from + lasts
  if (values.until === undefined) return () => undefined
  const time = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(values.until)
    ? Date.parse(values.until)
    : Number.NaN
  if (time > now) return () => time
  throw new UsageError(
    `--until: expected a time to come in ISO 8601 with its zone, such as 2026-01-31T12:00Z; got ${JSON.stringify(values.until)}`,
  )
}
