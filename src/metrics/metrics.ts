/**
 * Takes figures. Powertools Metrics fits: give it an instance of its own, since whatever that holds is published with ours.
 * A report is synchronous: dimensions, metrics, publish.
 */
export interface Metrics {
  addDimension(name: string, value: string): unknown
  /** Called once for each value: one report may hold several under one name. */
  addMetric(name: string, unit: 'Count' | 'Milliseconds', value: number): unknown
  publishStoredMetrics(): unknown
}

export type Dimensions = Readonly<Record<string, string>>

export interface Figure {
  readonly name: string
  readonly unit: 'Count' | 'Milliseconds'
  readonly value: number
}

export const count = (name: string, value: number): Figure => ({ name, unit: 'Count', value })
export const milliseconds = (name: string, value: number): Figure => ({
  name,
  unit: 'Milliseconds',
  value,
})

/** Synchronous: concurrent invocations of one process share `metrics`, and one would publish the figures of the other. */
export function report(metrics: Metrics, dimensions: Dimensions, figures: readonly Figure[]): void {
  for (const [name, value] of Object.entries(dimensions)) metrics.addDimension(name, value)
  for (const { name, unit, value } of figures) metrics.addMetric(name, unit, value)
  metrics.publishStoredMetrics()
}
