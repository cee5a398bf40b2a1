import type { SQSRecord } from 'aws-lambda'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabase, type Database } from '../../bench/database/startDatabase.ts'
import type { Invoked, Step } from './invoke.ts'
import { invokeAll } from './invokeAll.ts'
import { serverlessBuild, type SplitBundle } from './serverlessBuild.ts'

/** Throws for a payload that says so. */
const HANDLER = `
  import { recordHandler } from 'lineclear'
  import { dynamoDbStore } from 'lineclear/dynamodb'
  const store = dynamoDbStore({ tableName: 'lineclear' })
  const options = { name: 'orders', store, retry: { transport: 'visibility' } }
  export const handler = recordHandler(options, async ({ fails }, ctx) => {
    await ctx.call('call', () => 1)
    if (fails) throw new Error('it fails')
  })`

let database: Database
let bundle: SplitBundle

beforeAll(async () => {
  database = await startDatabase()
  bundle = await serverlessBuild(HANDLER, '/bundle')
})

afterAll(() => database.stop())

const invoked = (...steps: readonly Step[]): Promise<readonly Invoked[]> =>
  invokeAll(bundle, database, steps)

/** Of the files of Lineclear, those that a step has loaded. */
function ours({ loaded }: Invoked): readonly string[] {
  return MODULES.filter((module) => loaded.includes(bundle.fileOf(module)))
}

const CONTEXT = 'context/openContext.ts'
const UNCOMMON = 'deliver/uncommon.ts'
const MESSENGER = 'send/sdkMessenger.ts'
const MODULES = [CONTEXT, UNCOMMON, MESSENGER]

const good = (): Step => ({ event: sqsEvent({ n: 1 }) })
const failing = (record: SQSRecord = sqsRecord({ fails: true })): Step => ({
  event: sqsEvent(record),
})
const without = (module: string, step: Step): Step => ({
  ...step,
  unreadable: [bundle.fileOf(module)],
})

it('a batch that goes well loads ctx and nothing else, and the next one loads nothing', async () => {
  const [first, second] = await invoked(good(), good())
  expect(first?.kept).toBe(0)
  expect(ours(first!)).toEqual([CONTEXT])
  expect(second).toEqual({ kept: 0, loaded: [] })
})

it('a record that fails loads what it needs, once', async () => {
  const [first, second] = await invoked(failing(), failing())
  expect(first?.kept).toBe(1)
  expect(ours(first!)).toEqual(MODULES)
  expect(second).toEqual({ kept: 1, loaded: [] })
})

it('a message whose ctx cannot be loaded stays on the queue, is not run, and runs when it comes back', async () => {
  const record = sqsRecord({ n: 1 })
  const event = sqsEvent(record)
  const [first, second] = await invoked(without(CONTEXT, { event }), { event })
  expect(first?.kept).toBe(1)
  expect(second?.kept).toBe(0)
})

it('a batch fails as a whole when what handles failures cannot be loaded, so that nothing is acknowledged', async () => {
  const record = sqsRecord({ fails: true })
  const [first, second] = await invoked(without(UNCOMMON, failing(record)), failing(record))
  expect(first?.kept).toMatch(/^EIO/)
  expect(second?.kept).toBe(1)
})

it('a record stays named when what calls SQS cannot be loaded', async () => {
  const [first] = await invoked(without(MESSENGER, failing()))
  expect(first?.kept).toBe(1)
})
