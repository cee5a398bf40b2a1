// @acts

import { type Clock, systemClock } from '../../base/clock.ts'
import {
  aClock,
  aFunction,
  type Checks,
  checkOptions,
  listOf,
  matching,
} from '../../base/options.ts'
import type { Metrics } from './metrics.ts'

/** Options of {@link emfMetrics}. */
interface EmfOptions {
  /** CloudWatch namespace, 1 to 255 characters. Default `Lineclear`. */
  readonly namespace?: string
  /**
   * Names that stay fields of the log line, where Logs Insights finds them: CloudWatch makes no custom metric of them and bills
   * none. `[]` makes a metric of every name. Default: `received`, `started` and `attempt`, which no alarm needs.
   */
  readonly fieldsOnly?: readonly string[]
  /** Writes one line of JSON. Default `console.log`, which Lambda writes to CloudWatch Logs. */
  readonly write?: (line: string) => void
  /** For tests. Default: the system's clock. */
  readonly clock?: Clock
}

/** CloudWatch silently drops a line that it cannot read. The limits are those of CloudWatch's PutMetricData, Namespace. */
const OPTIONS: Checks<EmfOptions> = {
  namespace: matching(/^[^:].{0,254}$/, '1 to 255 characters, the first one no colon'),
  fieldsOnly: listOf(/./, "names of metrics, such as ['latency']"),
  write: aFunction('console.log'),
  clock: aClock,
}

const FIELDS_ONLY = ['received', 'started', 'attempt']

/** The most values of one metric in one line. CloudWatch ignores further values. */
// @protects CloudWatch takes every value
// @without 1_000_000
const MAX_VALUES = 100

/**
 * Metrics in CloudWatch's Embedded Metric Format: one JSON line for each report, from which CloudWatch makes metrics. It needs no
 * API call and no permission. A report in which nothing is a metric writes no line.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 * @example
 * export const handler = recordHandler({ name: 'orders', store, metrics: emfMetrics() }, work)
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function emfMetrics(options: EmfOptions = {}): Metrics {
  checkOptions('emfMetrics', options, OPTIONS)
  const { namespace = 'Lineclear', fieldsOnly = FIELDS_ONLY } = options
  const { write = console.log, clock = systemClock } = options
  const isMetric = (name: string): boolean => !fieldsOnly.includes(name)
  let dimensions: Record<string, string> = {}
  let figures: EmfFigure[] = []
  return {
    addDimension(name, value) {
      dimensions[name] = value
    },
    addMetric(name, unit, value) {
      figures.push({ name, unit, value })
    },
    publishStoredMetrics() {
      const report = { namespace, dimensions, isMetric, now: clock.now() }
      for (const line of emfLines(report, figures)) write(line)
      dimensions = {}
      figures = []
    },
  }
}

interface EmfFigure {
  readonly name: string
  readonly unit: string
  readonly value: number
}

interface Report {
  readonly namespace: string
  readonly dimensions: Readonly<Record<string, string>>
  readonly isMetric: (name: string) => boolean
  readonly now: number
}

function emfLines(report: Report, figures: readonly EmfFigure[]): string[] {
  const byName = Map.groupBy(figures, ({ name }) => name)
  const most = Math.max(0, ...[...byName.values()].map(({ length }) => length))
  const lines = Math.ceil(most / MAX_VALUES)
  return Array.from({ length: lines }, (_, line) => {
    const part = [...byName].map(
      ([name, all]) => [name, all.slice(line * MAX_VALUES, (line + 1) * MAX_VALUES)] as const,
    )
    return part.filter(([, some]) => some.length > 0)
  })
    .filter((part) => part.some(([name]) => report.isMetric(name)))
    .map((part) => emfLine(report, part))
}

function emfLine(
  { namespace, dimensions, isMetric, now }: Report,
  byName: readonly (readonly [name: string, figures: readonly EmfFigure[]])[],
): string {
  const metrics = byName.filter(([name]) => isMetric(name))
  return JSON.stringify({
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: namespace,
          Dimensions: [Object.keys(dimensions)],
          // @survives OptionalChaining: names without a figure on this line were left out before; the check is for the types.
          Metrics: metrics.map(([Name, [first]]) => ({ Name, Unit: first?.unit })),
        },
      ],
    },
    ...dimensions,
    ...Object.fromEntries(byName.map(([name, some]) => [name, valuesOf(some)])),
  })
}

function valuesOf(figures: readonly EmfFigure[]): number | number[] {
  const values = figures.map(({ value }) => value)
  const [only] = values
  // @survives ConditionalExpression: a list of one value has a first one; the check is for the types.
  return only !== undefined && values.length === 1 ? only : values
}
