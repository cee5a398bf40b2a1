import { defineFlow, sweepHandler, TerminalError } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { untilQuiet } from '../../../examples/quiet.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { EVERY_FAULT } from '../campaign/faults.ts'
import { valuesOf } from './ledger.ts'

const KEYS = 12
const VERSIONS = 4
const Wish = z.object({ key: z.string(), version: z.int(), id: z.string(), sentAt: z.int() })
type Wish = z.infer<typeof Wish>

function startShop(): Promise<LocalCloud> {
  const consumed = { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  return startLocalCloud(
    {
      queues: { reserve: consumed, ship: consumed, failures: consumed, dead: {} },
      tables: {
        lineclear: tableDefinition(),
        stock: { hash: 'id' },
        ends: { hash: 'id' },
      },
    },
    { logger: quietLogger() },
  )
}

/** Each run reserves in two stages. The third version of every second key dies, the others complete or are superseded. */
function wishes(cloud: LocalCloud) {
  const trip = defineFlow({
    name: 'wishes',
    store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
    clients: { sqs: cloud.sqs },
    logger: quietLogger(),
    key: ({ key }: Wish) => key,
    id: ({ id }: Wish) => id,
    sentAt: ({ sentAt }: Wish) => sentAt,
    onConflict: 'supersede',
    retry: { maxAttempts: 100, delay: () => 300 },
    stages: {
      reserve: { schema: Wish, queueUrl: cloud.queueUrl('reserve') },
      ship: { schema: Wish, queueUrl: cloud.queueUrl('ship'), final: true },
    },
    failures: { queueUrl: cloud.queueUrl('failures') },
  })
  const add = (id: string, n: number) =>
    ({ TableName: 'stock', Key: { id }, add: { reserved: n } }) as const
  return {
    trip,
    reserve: trip.stageHandler('reserve', async (wish, ctx) => {
      await ctx.write('reserve', add(wish.id, 1))
      await ctx.next('ship', wish)
    }),
    ship: trip.stageHandler('ship', async (wish, ctx) => {
      await ctx.write('more', add(wish.id, 1))
      const nth = Number(wish.key.split('-')[1])
      if (wish.version === VERSIONS && nth % 2 === 0) throw new TerminalError('no such street')
      await ctx.write('done', { TableName: 'ends', Key: { id: wish.id }, add: { done: 1 } })
    }),
    failures: trip.failureHandler(async ({ uniqueRequestId: id, final, made = [] }, ctx) => {
      await ctx.write('told', { TableName: 'ends', Key: { id }, add: { told: 1 } })
      const reserved = made.filter(({ name }) => name !== 'done').length
      if (final && reserved > 0) await ctx.write('release', add(id, -reserved))
    }),
  }
}

it('each run that is superseded or dies is told once under every fault, and what it has made is taken back', async () => {
  await using cloud = await startShop()
  const { trip, ...handlers } = wishes(cloud)
  const given = { cloud, functionTimeout: 5_000, logger: quietLogger(), faults: EVERY_FAULT }
  await using reserve = mapQueue({ ...given, queue: 'reserve', handler: handlers.reserve })
  await using ship = mapQueue({ ...given, queue: 'ship', handler: handlers.ship })
  await using failures = mapQueue({ ...given, queue: 'failures', handler: handlers.failures })
  const ids: string[] = []
  const aMinuteAgo = Date.now() - 60_000
  for (let version = 1; version <= VERSIONS; version++) {
    for (let nth = 0; nth < KEYS; nth++) {
      const id = `k-${nth}-v${version}`
      ids.push(id)
      const sentAt = aMinuteAgo + version
      const wish = { key: `k-${nth}`, version, id, sentAt }
      await trip.start(wish, { uniqueRequestId: id, sentAt })
    }
  }
  await untilQuiet([reserve, ship])
  // The leases of all attempts are over for a sweeper of the next day.
  const clock = { now: () => Date.now() + 7_200_000, sleep: async () => {} }
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  await sweepHandler({ store, clock, clients: { sqs: cloud.sqs }, logger: quietLogger() })()
  await untilQuiet([failures])

  const [told, done, stock] = await Promise.all([
    valuesOf(cloud, 'ends', 'told'),
    valuesOf(cloud, 'ends', 'done'),
    valuesOf(cloud, 'stock', 'reserved'),
  ])
  // A run that never started, because a newer one had, has made nothing, and has no end.
  const begun = ids.filter((id) => stock[id] !== undefined)
  for (const id of begun) {
    const isTold = told[id] === 1
    const isDead = id.endsWith(`v${VERSIONS}`) && Number(id.split('-')[1]) % 2 === 0
    const isKept = isDead || !isTold
    expect({ id, isTold, told: told[id] || 0, done: done[id] === 1 || isTold }).toEqual({
      id,
      isTold: isDead || isTold,
      told: isTold ? 1 : 0,
      done: true,
    })
    expect({ id, stock: stock[id] }).toEqual({ id, stock: isKept ? 2 : 0 })
  }
  expect(begun.filter((id) => told[id] === 1).length).toBeGreaterThan(KEYS / 2)
})
