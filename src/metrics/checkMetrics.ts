/** For what comes from JavaScript. */
export function isMetrics(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['addDimension', 'addMetric', 'publishStoredMetrics'].every((method) => method in value)
  )
}

export const METRICS_EXPECTED = 'metrics, such as emfMetrics() or Powertools Metrics'
