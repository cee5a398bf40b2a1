import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { SpanKind } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { recordHandler, TerminalError } from 'lineclear'
import { openTelemetry } from 'lineclear/opentelemetry'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { keepSpans } from './spans.ts'

/** The version that the sources and the page of this feature name. */
const VERSION = '1.45'

const require = createRequire(import.meta.url)
const dist = dirname(require.resolve('@opentelemetry/semantic-conventions/incubating'))

interface Constant {
  readonly text: string
  readonly deprecated: boolean
}

/** Every name and value of the conventions, by its constant. Only the comments of the types say what is deprecated. */
function readConventions(): ReadonlyMap<string, Constant> {
  const files = ['experimental_attributes.d.mts', 'stable_attributes.d.mts']
  const types = files.map((file) => readFileSync(join(dist, file), 'utf8')).join('\n')
  const found = types.matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*declare const ([A-Z\d_]+): "([^"]*)"/g,
  )
  return new Map(
    [...found].map(([, comment = '', name = '', text = '']) => [
      name,
      { text, deprecated: comment.includes('@deprecated') },
    ]),
  )
}

const conventions = readConventions()

/** The values that an attribute of few values may have; undefined: it may have any. */
function valuesOf(attribute: string): ReadonlySet<string> | undefined {
  const prefix = `${attribute.toUpperCase().replaceAll('.', '_')}_VALUE_`
  const values = [...conventions].filter(([name]) => name.startsWith(prefix))
  if (values.length === 0) return undefined
  return new Set(values.filter(([, { deprecated }]) => !deprecated).map(([, { text }]) => text))
}

const KNOWN = new Set(
  [...conventions]
    .filter(([name, { deprecated }]) => name.startsWith('ATTR_') && !deprecated)
    .map(([, { text }]) => text),
)
/** An instrumentation names its errors itself: the conventions list no more than `_OTHER`. */
const OF_ANY_VALUE = 'error.type'

/** One span of each kind: batch, delivery, dead letter, outside call, and a sending to each kind of target. */
async function someSpans(): Promise<readonly ReadableSpan[]> {
  const spans = keepSpans()
  const tracing = openTelemetry({ tracerProvider: spans.tracerProvider })
  const queue = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
  const cloud = memoryCloud({ queues: { orders: queue, mail: {}, dead: {} }, topics: { paid: {} } })
  const { store, clients, clock, logger } = cloud
  const options = { name: 'orders', store, clients, clock, logger, tracing }
  const schema = z.object({ inStock: z.boolean() })
  const handler = recordHandler({ ...options, schema }, async ({ inStock }, ctx) => {
    await ctx.call('charge', () => 'receipt')
    await ctx.send(cloud.queueUrl('mail'), 'one')
    await ctx.send(cloud.queueUrl('mail'), 'two', { name: 'two' })
    await ctx.publish(cloud.topicArn('paid'), 'paid')
    if (!inStock) throw new TerminalError('no stock')
  })
  cloud.send('orders', { inStock: true })
  cloud.send('orders', { inStock: false })
  await cloud.drain({ orders: handler })
  return spans.all()
}

it('the conventions that names are compared with are of the version that is named', () => {
  const { version } = require(join(dirname(dist), 'package.json')) as { version: string }
  expect(version.startsWith(`${VERSION}.`)).toBe(true)
  for (const file of ['openTelemetry/conventions.ts', 'README.md']) {
    const path = `../../../src/library/features/tracing/${file}`
    const text = readFileSync(new URL(path, import.meta.url), 'utf8')
    expect([...text.matchAll(/version (\d+\.\d+)/g)].map(([, named]) => named)).toEqual([VERSION])
  }
})

it('every attribute is one of the conventions, is not deprecated, and has a value that they list', async () => {
  const spans = await someSpans()
  const given = spans.flatMap(({ attributes }) => Object.entries(attributes))
  const theirs = given.filter(([name]) => !name.startsWith('lineclear.'))
  expect(theirs.map(([name]) => name).filter((name) => !KNOWN.has(name))).toEqual([])
  const wrong = theirs.filter(
    ([name, value]) => name !== OF_ANY_VALUE && valuesOf(name)?.has(String(value)) === false,
  )
  expect(wrong).toEqual([])
  const names = new Set(theirs.map(([name]) => name))
  expect([...names].toSorted()).toEqual([
    'aws.sns.topic.arn',
    'aws.sqs.queue.url',
    'error.type',
    'faas.trigger',
    'messaging.batch.message_count',
    'messaging.destination.name',
    'messaging.message.id',
    'messaging.operation.name',
    'messaging.operation.type',
    'messaging.system.name',
  ])
})

/** https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/#span-kind */
const KINDS: Readonly<Record<string, SpanKind>> = {
  send: SpanKind.PRODUCER,
  process: SpanKind.CONSUMER,
}

it('a span of a message is called {operation} {destination}, and has the kind of its operation', async () => {
  const spans = await someSpans()
  const messaging = spans.filter(({ attributes }) => 'messaging.operation.type' in attributes)
  expect(new Set(messaging.map(({ name }) => name))).toEqual(
    new Set(['process orders', 'send mail', 'publish paid']),
  )
  for (const { name, kind, attributes } of messaging) {
    const operation = String(attributes['messaging.operation.name'])
    const destination = String(attributes['messaging.destination.name'])
    expect(name).toBe(`${operation} ${destination}`)
    expect(kind).toBe(KINDS[String(attributes['messaging.operation.type'])])
  }
})
