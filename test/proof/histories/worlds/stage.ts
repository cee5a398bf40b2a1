import { z } from 'zod'
import { defineFlow } from '../../../../src/library/entries/flow/defineFlow.ts'
import type { Settlement } from '../../../../src/library/protocol/claim/settlement.ts'
import type { MemoryHandler } from '../../../../src/testing/queues/deliverNext.ts'
import type { RecordContext } from '../../../../src/library/run/context/context.ts'
import type { Answer, Content } from '../book.ts'
import type { Life } from '../lives.ts'
import { commonOf, invoke, type Part, REMAINING_MS, type World } from '../world.ts'
import { add } from './add.ts'

const Cart = z.object({ id: z.string(), key: z.string(), at: z.number() })
type Cart = z.infer<typeof Cart>
type Stage = 'check' | 'pay'

const POLICIES = {
  every: { process: 'every', onConflict: 'defer' },
  newest: { process: 'newest', onConflict: 'supersede' },
} as const
type Policy = keyof typeof POLICIES

/** Requests of a flow of two stages want the same key. */
export function stage(policy: Policy): Part {
  const queueOf = (name: Stage): string => `${policy}-${name}`
  const keyOf = ({ chance }: World): string => `${policy}-${chance.integer(2)}`
  let requests = 0
  const times = new Set<number>()
  return {
    queues: [queueOf('check'), queueOf('pay')],
    send(world) {
      const { cloud, chance } = world
      const at = cloud.clock.now() - chance.integer(5_000)
      if (times.has(at)) return
      times.add(at)
      const cart: Cart = { id: `${policy}${(requests += 1)}`, key: keyOf(world), at }
      for (let copy = 0; copy <= chance.integer(2); copy += 1) cloud.send(queueOf('check'), cart)
    },
    deliver: (world, queue) => deliver(world, policy, queue === queueOf('pay') ? 'pay' : 'check'),
    read() {},
  }
}

function deliver(world: World, policy: Policy, name: Stage): void {
  const { book, lives } = world
  const life = lives.begin()
  const { client, clock } = life
  const begin = ({ id, key, at }: Cart, what: string, more: Content = {}): Answer => {
    const input = { do: what, request: id, at, stage: name, ...more }
    return book.begin({ model: 'stage', key, client, input })
  }
  let starting: Answer | undefined
  let ending: Answer | undefined
  const work: Work = async (cart, ctx) => {
    starting?.({ is: 'granted', fence: ctx.fence })
    starting = undefined
    try {
      const effect = { key: `${policy}-paid`, request: cart.id, effect: name }
      await add(world, life, ctx, effect)
    } catch (error) {
      // The attempt gives its claim back, or dies first.
      begin(cart, 'giveBack')
      throw error
    }
    ending = begin(cart, 'complete')
  }
  invoke<Cart>(
    world,
    `${policy}-${name}`,
    (onSettled) => handlerOf(world, life, { policy, name, onSettled, work }),
    {
      received: (cart) => {
        const lease = { now: clock.now(), until: clock.now() + REMAINING_MS }
        starting = begin(cart, 'start', { policy, ...lease })
      },
      answered: (cart, settled) => {
        const as = settled?.kind ?? 'failed'
        if (isWithoutClaim(as)) starting?.({ is: as })
        if (as === 'completed') ending?.({})
        return () => begin(cart, 'acknowledge', { as })
      },
    },
  )
}

/** Before a start these ends say that nothing was claimed; after one the start has its answer. */
function isWithoutClaim(as: Settlement['kind']): boolean {
  return ['deferred', 'duplicate', 'superseded', 'stale'].includes(as)
}

type Work = (cart: Cart, ctx: Pick<RecordContext, 'write' | 'fence'>) => Promise<void>

interface Building {
  readonly policy: Policy
  readonly name: Stage
  readonly onSettled: (end: Settlement) => void
  readonly work: Work
}

function handlerOf(
  world: World,
  life: Life,
  { policy, name, onSettled, work }: Building,
): MemoryHandler {
  const { cloud } = world
  const queueUrl = (each: Stage): string => cloud.queueUrl(`${policy}-${each}`)
  const flow = defineFlow({
    name: policy,
    ...commonOf(world, life, onSettled),
    ...POLICIES[policy],
    id: (cart: Cart) => cart.id,
    sentAt: (cart: Cart) => cart.at,
    key: (cart: Cart) => cart.key,
    stages: {
      check: { schema: Cart, queueUrl: queueUrl('check') },
      pay: { schema: Cart, queueUrl: queueUrl('pay'), final: true },
    },
  })
  return name === 'check'
    ? flow.stageHandler('check', async (cart, ctx) => {
        await ctx.next('pay', cart)
        await work(cart, ctx)
      })
    : flow.stageHandler('pay', work)
}
