import { emfMetrics, recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { REPORTERS, unlisted } from './catalogue.ts'
import { listedMetrics } from './readmeList.ts'

it('the list in the README has every metric with its dimensions and unit, and no other', () => {
  const known = REPORTERS.flatMap(({ by, metrics }) =>
    Object.entries(metrics).map(([name, unit]) => `${by.join()} ${name} ${unit}`),
  )
  const listed = new Set(listedMetrics().map(({ by, name, unit }) => `${by} ${name} ${unit}`))
  expect([...listed].toSorted()).toEqual(known.toSorted())
})

it('a consumer whose records complete makes three custom metrics', async () => {
  const lines: Line[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Line)
  const options = { name: 'orders', store: memoryStore(), logger: quietLogger() }
  const handler = recordHandler({ ...options, metrics: emfMetrics({ write }) }, () => {})
  await handler(sqsEvent({ a: 1 }, { a: 2 }), lambdaContext())
  expect(unlisted(lines)).toEqual([])
  expect(metricsIn(lines)).toEqual(['completed', 'duration', 'latency'])
  expect(lines).toMatchObject([{ received: 2, started: 2, attempt: [1, 1] }])
})

it('a report without a metric writes no line', () => {
  const lines: string[] = []
  const metrics = emfMetrics({ fieldsOnly: ['started'], write: (line) => lines.push(line) })
  metrics.addMetric('started', 'Count', 1)
  metrics.publishStoredMetrics()
  expect(lines).toEqual([])
  metrics.addMetric('completed', 'Count', 1)
  metrics.publishStoredMetrics()
  expect(lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
    ['_aws', 'completed'],
  ])
})

type Line = Readonly<Record<string, unknown>>

function metricsIn(lines: readonly Line[]): string[] {
  const names = lines.flatMap(({ _aws }) => {
    const { CloudWatchMetrics } = _aws as {
      CloudWatchMetrics: { Metrics: { Name: string }[] }[]
    }
    return CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name))
  })
  return [...new Set(names)].toSorted()
}
