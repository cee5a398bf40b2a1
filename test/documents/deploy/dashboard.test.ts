import { emfMetrics } from 'lineclear'
import { expect, it } from 'vitest'
import { REPORTERS } from '../../features/metrics/catalogue.ts'
import { searches, shown } from './shown.ts'

/** Which of these names `emfMetrics` makes custom metrics of. */
function made(names: readonly string[]): string[] {
  const lines: string[] = []
  const metrics = emfMetrics({ write: (line) => lines.push(line) })
  for (const name of names) metrics.addMetric(name, 'Count', 1)
  metrics.publishStoredMetrics()
  const { _aws } = JSON.parse(lines[0] ?? '') as {
    _aws: { CloudWatchMetrics: { Metrics: { Name: string }[] }[] }
  }
  return _aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name))
}

it('the dashboard shows every custom metric under every set of dimensions, each once, and nothing else', () => {
  const all = REPORTERS.flatMap(({ by, metrics }) =>
    made(Object.keys(metrics)).map((name) => `${by.join()} ${name}`),
  )
  expect(shown().toSorted()).toEqual(all.toSorted())
})

it('no search is longer than CloudWatch reads', () => {
  for (const expression of searches()) expect(expression.length).toBeLessThanOrEqual(1_024)
})
