/**
 * Where figures go. Structural: Powertools Metrics fits, best an instance of its own, since what it has gathered is published
 * with ours. Each report is made in one go: dimensions, metrics, publish.
 */
export interface Metrics {
  addDimension(name: string, value: string): unknown
  /** May come several times under one name: the values of one report. */
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

/** Invocations of one process run side by side: nothing may come between the dimensions and the publishing. */
export function report(metrics: Metrics, dimensions: Dimensions, figures: readonly Figure[]): void {
  for (const [name, value] of Object.entries(dimensions)) metrics.addDimension(name, value)
  for (const { name, unit, value } of figures) metrics.addMetric(name, unit, value)
  metrics.publishStoredMetrics()
}
