import type { StandardSchemaV1 } from '@standard-schema/spec'
import { recordHandler, type RecordHandlerOptions, TerminalError } from 'lineclear'
import { z } from 'zod'
import { queueUrlOf } from '../../src/testing/queues/places.ts'
import { attributeOf } from '../../src/testing/queues/sqs.ts'
import { carriedBy } from './redrive.ts'
import type { Code, World } from './world.ts'

/** A payment callback of a provider. */
export interface Callback {
  readonly tx: string
  readonly ref: string
  readonly nth: number
}

export const AMOUNT = 5

/** How the handler ends, after its effects. `once` and `killed`: the first attempt only. */
export type Ending = 'well' | 'fails' | 'dies' | 'once' | 'killed'

type Options = Partial<Omit<RecordHandlerOptions<StandardSchemaV1>, 'schema' | 'id'>>

export interface SalesOptions extends Options {
  readonly ends?: Ending
  readonly schema?: StandardSchemaV1
  readonly id?: ((callback: Callback) => string) | undefined
  readonly left?: number
  readonly queue: string
}

export const BOOKED = 'booked'

export const Good: z.ZodType<Callback> = z.object({
  tx: z.string(),
  ref: z.string(),
  nth: z.number(),
})
export const Bad: z.ZodType = Good.refine(() => false)
export const byTx = ({ tx }: Callback): string => tx

/** A consumer that enters a sale, charges for it and announces it. */
export function sales(
  world: World,
  { ends = 'well', left, queue, id, schema = Good, ...more }: SalesOptions,
): Code {
  let runs = 0
  const options = {
    name: 'sales',
    ...world.options,
    ...more,
    schema,
    ...(id === undefined ? {} : { id: (payload: unknown) => id(payload as Callback) }),
  }
  const handler = recordHandler(options, async (payload, ctx) => {
    runs += 1
    const { tx } = payload as Callback
    await ctx.applyOnce('entry', { TableName: 'ledger', Key: { id: tx }, add: { amount: AMOUNT } })
    await ctx.once('charge', ({ idempotencyKey }) => world.charge(tx, idempotencyKey))
    await ctx.send(queueUrlOf(BOOKED), { tx })
    if (ends === 'fails' || (ends === 'once' && runs === 1)) throw new Error('not now')
    if (ends === 'dies') throw new TerminalError('never')
    if (ends === 'killed' && runs === 1) await world.die()
  })
  return { handlers: { [queue]: handler }, ...(left === undefined ? {} : { left }) }
}

/**
 * @param expected how many requests there were
 * @param mayRefuse what the books lack may be told by a dead letter in place of being done
 * @returns what the books do not have exactly so often
 */
export function audit(
  world: World,
  tx: string,
  { expected, mayRefuse }: { readonly expected: number; readonly mayRefuse: boolean },
): readonly string[] {
  const amount = world.store.userItems('ledger').find(({ id }) => id === tx)?.['amount'] ?? 0
  const announced = world.office
    .queue(BOOKED)
    .all.filter(({ message }) => message.body === JSON.stringify({ tx }))
  const counts = {
    entries: Number(amount) / AMOUNT,
    charges: world.charges.get(tx)?.size ?? 0,
    announcements: new Set(announced.map(({ message }) => attributeOf(message, 'uniquerequestid')))
      .size,
  }
  const wrong = Object.entries(counts)
    .filter(([, count]) => count > expected)
    .map(([what, count]) => `doubled: ${count} ${what} of ${expected}`)
  const missing = expected - Math.min(...Object.values(counts))
  const told = world.dead().filter(({ message }) => carriedBy(message).reason !== undefined).length
  if (missing > (mayRefuse ? told : 0))
    wrong.push(`lost: ${missing} of ${expected}, ${told} dead letters`)
  return [...wrong, ...stuck(world, told)]
}

/** @param told dead letters: each may speak for a token of which its consumer could not tell that it is its own */
function stuck({ store, office }: World, told: number): string[] {
  const held = store.items().filter(({ status }) => status === 'inProgress' || status === 'dying')
  const waiting = office
    .all()
    .filter(
      ([name, { letters }]) => !name.startsWith('dead') && name !== BOOKED && letters.length > 0,
    )
  return [
    ...held.slice(told).map(({ pk, status }) => `stuck: ${JSON.stringify([pk, status])}`),
    ...waiting.map(([name, { letters }]) => `stuck: ${letters.length} messages on ${name}`),
  ]
}
