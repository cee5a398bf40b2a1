import {
  defineFlow,
  eventBridge,
  invocationHandler,
  recordHandler,
  storedDelays,
  type Tracing,
} from 'lineclear'
import { openTelemetry } from 'lineclear/opentelemetry'
import {
  type CrashCloud,
  type CrashOptions,
  eventBridgeEvent,
  exploreCrashes,
} from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { keepSpans } from '../../features/tracing/spans.ts'
import { SOUND } from './consumerOf.ts'

const INSERT = 'INSERT INTO entries (id) VALUES ($1)'
const schema = z.object({ key: z.string() })
/** Does not fit into 900 bytes. */
const large = (key: string) => ({ key, text: 'x'.repeat(900) })
const INPUT = { key: 'k' }
const EVENT = eventBridgeEvent(INPUT, { source: 'my.shop', detailType: 'Placed', id: 'e-1' })

type Build = (
  cloud: CrashCloud,
  tracing: Tracing,
) => Parameters<typeof exploreCrashes>[0] extends (cloud: CrashCloud) => infer Explored
  ? Explored
  : never

/** Each option that a handler can have beside its queue. */
function everyOption(cloud: CrashCloud, tracing: Tracing) {
  const { store, clients, clock, logger, sql, offload } = cloud
  return { store, clients, clock, logger, sql, offload, tracing, delays: storedDelays() }
}

const record: Build = (cloud, tracing) => ({
  orders: recordHandler(
    {
      name: 'orders',
      ...everyOption(cloud, tracing),
      schema,
      envelopes: [eventBridge({ accounts: 'any' })],
    },
    async ({ key }, ctx) => {
      await ctx.sql('book', (tx) => tx.query(INSERT, [key]))
      await ctx.write('sum', { TableName: 't', Key: { id: key }, add: { n: 1 } })
      await ctx.send(cloud.queueUrl('reminders'), large(key), { maxBytes: 900, delay: '24h' })
    },
  ),
})

const flow: Build = (cloud, tracing) => {
  const trip = defineFlow({
    name: 'trip',
    ...everyOption(cloud, tracing),
    key: ({ key }) => key,
    stages: {
      ask: { schema, queueUrl: cloud.queueUrl('ask') },
      book: { schema, queueUrl: cloud.queueUrl('book'), final: true },
    },
  })
  return {
    ask: trip.stageHandler('ask', async ({ key }, ctx) => {
      await ctx.sql('book', (tx) => tx.query(INSERT, [key]))
      await ctx.next('book', { key }, { delay: '2h' })
    }),
    book: trip.stageHandler('book', async ({ key }, ctx) => {
      await ctx.write('sum', { TableName: 't', Key: { id: key }, add: { n: 1 } })
    }),
  }
}

const invocation: Build = (cloud, tracing) =>
  invocationHandler(
    { name: 'settle', ...everyOption(cloud, tracing), key: ({ key }: typeof INPUT) => key },
    async ({ key }, ctx) => {
      await ctx.sql('book', (tx) => tx.query(INSERT, [key]))
      await ctx.write('sum', { TableName: 't', Key: { id: key }, add: { n: 1 } })
      await ctx.send(cloud.queueUrl('reminders'), large(key), { maxBytes: 900, delay: '24h' })
      return { settled: key }
    },
  )

const LIMIT = { timeout: 480_000 }

function explore(build: Build, input: unknown, options: CrashOptions) {
  const tracing = openTelemetry({ tracerProvider: keepSpans().tracerProvider })
  return exploreCrashes((cloud) => build(cloud, tracing), input, options)
}

describe('a handler with sql, payloads, delays, tracing and envelopes at once', () => {
  it.each<[what: string, Build, input: unknown, CrashOptions]>([
    ['a record', record, EVENT, {}],
    ['a flow', flow, INPUT, {}],
    ['an invocation', invocation, INPUT, { as: 'invocation' }],
  ])('%s, killed at every call', LIMIT, async (what, build, input, options) => {
    const report = await explore(build, input, {
      ...options,
      together: 1,
      only: ['killed on the wire'],
    })
    console.log(`every option, ${what}: ${report.schedules} schedules`)
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })
})
