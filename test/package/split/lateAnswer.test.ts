import { sqsEvent } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabase, type Database } from '../../bench/database/startDatabase.ts'
import { invokeAll } from './invokeAll.ts'
import { serverlessBuild, type SplitBundle } from './serverlessBuild.ts'

/** A run waits for an answer, and is then reset. An invocation that has run onLate fails and says so. */
const HANDLER = `
  import { defineFlow } from 'lineclear'
  import { memoryStore } from 'lineclear/testing'
  const schema = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
  const trip = defineFlow({
    name: 'trip',
    store: memoryStore(),
    key: ({ key }) => key,
    stages: { book: { schema } },
    awaitingSteps: { quote: { schema, id: ({ quoteId }) => quoteId } },
  })
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.awaitStep('quote', 'q1', () => {}))
  let ran = false
  const quote = trip.answerHandler('quote', () => {}, {
    onLate: () => {
      ran = true
    },
  })
  export async function handler(event, context) {
    const isAnswer = event.Records[0].body.includes('quoteId')
    const response = await (isAnswer ? quote : book)(event, context)
    if (!isAnswer) await trip.reset('k')
    if (ran) throw new Error('onLate has run')
    return response
  }`

let database: Database
let bundle: SplitBundle
beforeAll(async () => {
  database = await startDatabase()
  bundle = await serverlessBuild(HANDLER, '/bundle')
})
afterAll(() => database.stop())

it('a late answer is not acknowledged when what runs onLate cannot be loaded, and runs when it comes back', async () => {
  const booking = { event: sqsEvent({ key: 'k' }) }
  const answer = { event: sqsEvent({ quoteId: 'q1' }) }
  const unreadable = [bundle.fileOf('deliver/uncommon.ts')]
  const steps = [booking, { ...answer, unreadable }, answer]
  const invoked = await invokeAll(bundle, database, steps)
  expect(invoked.map(({ kept }) => kept)).toEqual([
    0,
    expect.stringMatching(/^EIO/),
    'onLate has run',
  ])
})
