import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import { tableDefinition } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { systemClock } from '../../../src/library/base/clock.ts'
import {
  recordHandler,
  type SqsHandler,
} from '../../../src/library/entries/consumer/recordHandler.ts'
import { newerThan } from '../../../src/library/run/context/guard/guard.ts'
import { type LocalCloud, startLocalCloud } from '../../../src/testing/local/index.ts'
import { EVERY_FAULT } from '../campaign/faults.ts'
import { playOut } from '../campaign/playOut.ts'
import { silent } from '../campaign/silent.ts'
import { storeOn } from '../campaign/storeOn.ts'
import { type Book, openBook, type Operation } from './book.ts'
import { type Chance, openChance } from './chance.ts'

const Request = z.object({ id: z.string(), key: z.string(), at: z.number() })
type Request = z.infer<typeof Request>

/** An order is added to its count, a move replaces the row of its place. */
const QUEUES = ['orders', 'moves'] as const
type Queue = (typeof QUEUES)[number]

const QUEUE = { visibilityTimeout: 4, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
const REQUESTS = 40
const KEYS = 4
const EFFECTS = ['first', 'second']
/** Several of each in a history. */
const FAULTS = { ...EVERY_FAULT, kill: 0.02, loseAnswer: 0.03, throttle: 0.03 }
const READ_EACH_MS = 250

interface Live {
  readonly book: Book
  readonly cloud: LocalCloud
  readonly newClient: () => number
}

/**
 * The history of a run on the local cloud, over sockets and in real time, under all faults of the campaign, and more of them. A seed
 * gives the same requests again, and not the same history.
 */
export async function playLive(seed: number): Promise<readonly Operation[]> {
  const book = openBook(`local-${seed}`)
  const chance = openChance(seed)
  await using cloud = await startLocalCloud(
    {
      queues: { orders: QUEUE, moves: QUEUE, dead: {} },
      tables: { lineclear: tableDefinition(), counts: { hash: 'id' }, places: { hash: 'id' } },
    },
    { logger: silent },
  )
  let clients = 0
  const live = { book, cloud, newClient: () => (clients += 1) }
  const end = new AbortController()
  const reading = readUntil(live, chance, end.signal)
  await playOut({
    cloud,
    faults: FAULTS,
    seed,
    requests: QUEUES.length * REQUESTS,
    handlers: { orders: countOn(live), moves: moveOn(live) },
    send: () => sendAll(cloud, chance),
  })
  end.abort()
  await reading
  for (let nth = 0; nth < KEYS; nth += 1) await readBoth(live, `key-${nth}`)
  return book.operations()
}

/** Copies, and the newest not always last. */
async function sendAll(cloud: LocalCloud, chance: Chance): Promise<void> {
  const now = Date.now()
  for (let nth = 0; nth < REQUESTS; nth += 1) {
    for (const queue of QUEUES) {
      const key = `key-${chance.integer(KEYS)}`
      // No two have the same time.
      const at = now - 1_000_000 + (nth + 10 * chance.integer(4)) * 1_000 + nth
      const request: Request = { id: `${queue}-${nth}`, key, at }
      for (let copy = 0; copy <= chance.integer(2); copy += 1) await send(cloud, queue, request)
    }
  }
}

async function send(cloud: LocalCloud, queue: Queue, request: Request): Promise<void> {
  const input = { QueueUrl: cloud.queueUrl(queue), MessageBody: JSON.stringify(request) }
  await cloud.sqs.send(new SendMessageCommand(input))
}

function optionsOf({ cloud }: Live) {
  return {
    store: storeOn(cloud, silent),
    logger: silent,
    clients: { sqs: cloud.sqs },
    schema: Request,
    id: ({ id }: Request) => id,
    // A message that fails stays: whatever is acknowledged has ended.
    retry: { maxAttempts: 1_000, delay: () => 1_000, transport: 'visibility' as const },
  }
}

function countOn(live: Live): SqsHandler {
  const { book, newClient } = live
  const model = 'counter'
  const handler = recordHandler(
    { name: 'orders', ...optionsOf(live) },
    async ({ id, key }, ctx) => {
      const client = newClient()
      for (const effect of EFFECTS) {
        const input = { do: 'add', effect: `${id}/${effect}` }
        const answer = book.begin({ model, key, client, input })
        await ctx.write(effect, { TableName: 'counts', Key: { id: key }, add: { n: 1 } })
        answer({})
      }
    },
  )
  return acknowledging(handler, ({ id, key }) => {
    const input = { do: 'acknowledge', effects: EFFECTS.map((effect) => `${id}/${effect}`) }
    book.begin({ model, key, client: newClient(), input })({})
  })
}

function moveOn(live: Live): SqsHandler {
  const { book, newClient } = live
  const model = 'register'
  const options = { name: 'moves', ...optionsOf(live), sentAt: ({ at }: Request) => at }
  const handler = recordHandler(options, async ({ id, key, at }, ctx) => {
    const answer = book.begin({
      model,
      key,
      client: newClient(),
      input: { do: 'put', request: id, at },
    })
    const guard = newerThan('at', ctx.sentAt)
    const write = { TableName: 'places', Key: { id: key }, set: { of: id }, guard }
    const { applied } = await ctx.write('move', write)
    answer({ applied })
  })
  return acknowledging(handler, ({ id, key, at }) => {
    const input = { do: 'acknowledge', request: id, at }
    book.begin({ model, key, client: newClient(), input })({})
  })
}

/** What the function does not return as failed, Lambda deletes: from here on it has to be done. */
function acknowledging(handler: SqsHandler, acknowledge: (request: Request) => void): SqsHandler {
  return async (event, context) => {
    const response = await handler(event, context)
    const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { messageId, body } of event.Records) {
      if (!failed.has(messageId)) acknowledge(JSON.parse(body) as Request)
    }
    return response
  }
}

async function readUntil(live: Live, chance: Chance, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await readBoth(live, `key-${chance.integer(KEYS)}`)
    await systemClock.sleep(READ_EACH_MS)
  }
}

async function readBoth({ book, cloud }: Live, key: string): Promise<void> {
  const count = book.begin({ model: 'counter', key, client: 0, input: { do: 'read' } })
  count({ n: Number((await rowOf(cloud, 'counts', key))?.['n']?.N ?? 0) })
  const place = book.begin({ model: 'register', key, client: 0, input: { do: 'read' } })
  place({ request: (await rowOf(cloud, 'places', key))?.['of']?.S ?? '' })
}

async function rowOf(cloud: LocalCloud, TableName: string, id: string) {
  const input = { TableName, Key: { id: { S: id } }, ConsistentRead: true }
  return (await cloud.dynamodb.send(new GetItemCommand(input))).Item
}
