import type { MetricName } from './names.ts'

/**
 * Receives figures. Powertools Metrics fits this interface: use a separate instance, because everything that it holds is
 * published together with Lineclear's figures. A report is synchronous: dimensions, metrics, publish.
 */
export interface Metrics {
  addDimension(name: string, value: string): unknown
  /** Called once for each value: one report may hold several under one name. */
  addMetric(name: string, unit: 'Count' | 'Milliseconds', value: number): unknown
  publishStoredMetrics(): unknown
}

export type Dimensions = Readonly<Record<string, string>>

export interface Figure {
  readonly name: MetricName
  readonly unit: 'Count' | 'Milliseconds'
  readonly value: number
}

export const count = (name: MetricName, value: number): Figure => ({ name, unit: 'Count', value })
export const milliseconds = (name: MetricName, value: number): Figure => ({
  name,
  unit: 'Milliseconds',
  value,
})

/**
 * Reports synchronously: concurrent invocations of one process share `metrics`, and one would otherwise publish the figures of
 * another.
 */
export function report(metrics: Metrics, dimensions: Dimensions, figures: readonly Figure[]): void {
  for (const [name, value] of Object.entries(dimensions)) metrics.addDimension(name, value)
  for (const { name, unit, value } of figures) metrics.addMetric(name, unit, value)
  metrics.publishStoredMetrics()
}
