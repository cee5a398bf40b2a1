import { z } from 'zod'
import { recordHandler } from '../../../../src/library/entries/consumer/recordHandler.ts'
import { commonOf, invoke, type Part, type World } from '../world.ts'
import { add, readCount } from './add.ts'

const Order = z.object({ id: z.string(), key: z.string() })
type Order = z.infer<typeof Order>

const QUEUE = 'orders'
const EFFECTS = ['first', 'second']

/** Each request adds 1 twice, in two writes. */
export function counter(): Part {
  let requests = 0
  return {
    queues: [QUEUE],
    send({ cloud, chance }) {
      const order: Order = { id: `r${(requests += 1)}`, key: `orders-${chance.integer(3)}` }
      for (let copy = 0; copy <= chance.integer(2); copy += 1) cloud.send(QUEUE, order)
    },
    deliver,
    read: (world) => readCount(world, `orders-${world.chance.integer(3)}`),
  }
}

function deliver(world: World): void {
  const { book, lives } = world
  const life = lives.begin()
  invoke<Order>(
    world,
    QUEUE,
    (onSettled) =>
      recordHandler(
        { name: 'orders', schema: Order, id: ({ id }) => id, ...commonOf(world, life, onSettled) },
        async ({ id, key }, ctx) => {
          for (const effect of EFFECTS) await add(world, life, ctx, { key, request: id, effect })
        },
      ),
    {
      received: () => {},
      answered:
        ({ id, key }) =>
        () => {
          const effects = EFFECTS.map((effect) => `${id}/${effect}`)
          const input = { do: 'acknowledge', effects }
          return book.begin({ model: 'counter', key, client: life.client, input })
        },
    },
  )
}
