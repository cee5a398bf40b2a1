import { ConfigError } from '../errors.ts'
import { unknownName } from '../unknownName.ts'
import { kindOf } from '../kindOf.ts'

/** For callers from JavaScript. */
export function isMetrics(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['addDimension', 'addMetric', 'publishStoredMetrics'].every((method) => method in value)
  )
}

export const METRICS_EXPECTED = 'metrics, such as emfMetrics() or Powertools Metrics'

/** CloudWatch ignores a line that it cannot read without an error. Limits: PutMetricData, Namespace. */
export function checkEmf(options: { readonly namespace: unknown; readonly write: unknown }): void {
  const { namespace, write, ...rest } = options
  const unknown = unknownName(rest, ['namespace', 'write', 'clock'])
  if (unknown !== undefined) throw new ConfigError(`emfMetrics: ${unknown}`)
  if (typeof namespace !== 'string' || !/^[^:].{0,254}$/.test(namespace)) {
    const expected = '1 to 255 characters, the first one no colon'
    throw new ConfigError(`emfMetrics: namespace: expected ${expected}; got ${kindOf(namespace)}`)
  }
  if (typeof write === 'function') return
  throw new ConfigError(`emfMetrics: write: expected a function; got ${kindOf(write)}`)
}
