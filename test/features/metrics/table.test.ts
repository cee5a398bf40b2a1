import {
  defineFlow,
  emfMetrics,
  idempotent,
  onceForever,
  recordHandler,
  sweepHandler,
} from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
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

it('every report names the table of its store, so that environments of one account do not count for each other', async () => {
  const dimensions: object[] = []
  let own: Record<string, string> = {}
  const metrics = {
    addDimension: (name: string, value: string) => void (own = { ...own, [name]: value }),
    addMetric: () => {},
    publishStoredMetrics: () => {
      dimensions.push(own)
      own = {}
    },
  }
  const client = (): never => {
    throw new Error('there is no table')
  }
  const store = { ...memoryStore(), source: { tableName: 'shop-prod', client } }
  const options = { store, logger: quietLogger(), metrics }
  const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/pack'
  const stages = { pack: { schema: z.object({ id: z.string() }), queueUrl } }
  const flow = defineFlow({ ...options, name: 'parcels', key: ({ id }) => id, stages })
  await recordHandler({ ...options, name: 'orders' }, () => {})(sqsEvent({}), lambdaContext())
  await flow.stageHandler('pack', () => {})(sqsEvent({ id: 'p1' }), lambdaContext())
  await idempotent({ ...options, name: 'pay', key: String }, async (_id: string) => {})('a')
  await onceForever({ ...options, name: 'callbacks' }).acquire('a')
  await sweepHandler({ ...options, search: false })()
  const distinct = [...new Set(dimensions.map((each) => JSON.stringify(each)))]
  expect(distinct.map((each) => JSON.parse(each) as object)).toEqual([
    { table: 'shop-prod', consumer: 'orders' },
    { table: 'shop-prod', flow: 'parcels', stage: 'pack' },
    { table: 'shop-prod', name: 'pay' },
    { table: 'shop-prod', name: 'callbacks' },
    { table: 'shop-prod' },
  ])
})
