import { z } from 'zod'
import { recordHandler } from '../../../../src/library/entries/consumer/recordHandler.ts'
import { newerThan } from '../../../../src/library/run/context/guard/guard.ts'
import { commonOf, invoke, type Part, type World } from '../world.ts'

/** `at`: epoch milliseconds; no two moves have the same. */
const Move = z.object({ id: z.string(), key: z.string(), at: z.number() })
type Move = z.infer<typeof Move>

const QUEUE = 'moves'
const TableName = 'places'

/** Requests arrive out of order; a row must have the value of the newest one. */
export function register(): Part {
  let requests = 0
  const times = new Set<number>()
  return {
    queues: [QUEUE],
    send({ cloud, chance }) {
      const at = cloud.clock.now() - chance.integer(10_000)
      if (times.has(at)) return
      times.add(at)
      const move: Move = { id: `m${(requests += 1)}`, key: `place-${chance.integer(3)}`, at }
      for (let copy = 0; copy <= chance.integer(2); copy += 1) cloud.send(QUEUE, move)
    },
    deliver,
    read({ book, cloud, chance }) {
      const key = `place-${chance.integer(3)}`
      const answer = book.begin({ model: 'register', key, client: 0, input: { do: 'read' } })
      const row = cloud.store.userItems(TableName).find(({ id }) => id === key)
      const of = row?.['of']
      answer({ request: typeof of === 'string' ? of : '' })
    },
  }
}

function deliver(world: World): void {
  const { book, lives } = world
  const life = lives.begin()
  const { client } = life
  const model = 'register'
  invoke<Move>(
    world,
    QUEUE,
    (onSettled) =>
      recordHandler(
        {
          name: 'moves',
          schema: Move,
          id: ({ id }) => id,
          sentAt: ({ at }) => at,
          ...commonOf(world, life, onSettled),
        },
        async ({ id, key, at }, ctx) => {
          const input = { do: 'put', request: id, at }
          const answer = book.begin({ model, key, client, input })
          const guard = newerThan('at', ctx.sentAt)
          const write = { TableName, Key: { id: key }, set: { of: id }, guard }
          const { applied } = await ctx.write('move', write)
          answer({ applied })
        },
      ),
    {
      received: () => {},
      answered:
        ({ id, key, at }) =>
        () =>
          book.begin({ model, key, client, input: { do: 'acknowledge', request: id, at } }),
    },
  )
}
