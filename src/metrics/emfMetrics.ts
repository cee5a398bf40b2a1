import { type Clock, systemClock } from '../clock.ts'
import { aClock, aFunction, type Checks, checkOptions, matching } from '../options.ts'
import type { Figure, Metrics } from './metrics.ts'

/** Options of {@link emfMetrics}. */
export interface EmfOptions {
  /** CloudWatch namespace, 1 to 255 characters. Default `Lineclear`. */
  readonly namespace?: string
  /** Writes one line of JSON. Default `console.log`, which Lambda writes to CloudWatch Logs. */
  readonly write?: (line: string) => void
  /** For tests. Default: the system's clock. */
  readonly clock?: Clock
}

/** CloudWatch silently drops a line that it cannot read. The limits are those of CloudWatch's PutMetricData, Namespace. */
const OPTIONS: Checks<EmfOptions> = {
  namespace: matching(/^[^:].{0,254}$/, '1 to 255 characters, the first one no colon'),
  write: aFunction('console.log'),
  clock: aClock,
}

/** The most values of one metric in one line. CloudWatch ignores further values. */
const MAX_VALUES = 100

/**
 * Metrics in CloudWatch's Embedded Metric Format: one JSON line for each report, from which CloudWatch makes metrics. It needs no
 * API call and no permission.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 * @example
 * export const handler = recordHandler({ name: 'orders', store, metrics: emfMetrics() }, work)
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function emfMetrics(options: EmfOptions = {}): Metrics {
  checkOptions('emfMetrics', options, OPTIONS)
  const { namespace = 'Lineclear', write = console.log, clock = systemClock } = options
  let dimensions: Record<string, string> = {}
  let figures: Figure[] = []
  return {
    addDimension(name, value) {
      dimensions[name] = value
    },
    addMetric(name, unit, value) {
      figures.push({ name, unit, value })
    },
    publishStoredMetrics() {
      for (const line of emfLines(namespace, dimensions, figures, clock.now())) write(line)
      dimensions = {}
      figures = []
    },
  }
}

function emfLines(
  namespace: string,
  dimensions: Record<string, string>,
  figures: readonly Figure[],
  now: number,
): string[] {
  const byName = Map.groupBy(figures, ({ name }) => name)
  const most = Math.max(0, ...[...byName.values()].map(({ length }) => length))
  const lines = Math.ceil(most / MAX_VALUES)
  return Array.from({ length: lines }, (_, line) => {
    const part = [...byName].map(
      ([name, all]) => [name, all.slice(line * MAX_VALUES, (line + 1) * MAX_VALUES)] as const,
    )
    const there = part.filter(([, some]) => some.length > 0)
    return emfLine(namespace, dimensions, there, now)
  })
}

function emfLine(
  namespace: string,
  dimensions: Record<string, string>,
  byName: readonly (readonly [name: string, figures: readonly Figure[]])[],
  now: number,
): string {
  const definitions = byName.map(([Name, [first]]) => ({ Name, Unit: first?.unit }))
  return JSON.stringify({
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        { Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics: definitions },
      ],
    },
    ...dimensions,
    ...Object.fromEntries(byName.map(([name, some]) => [name, valuesOf(some)])),
  })
}

function valuesOf(figures: readonly Figure[]): number | number[] {
  const values = figures.map(({ value }) => value)
  const [only] = values
  return only !== undefined && values.length === 1 ? only : values
}
