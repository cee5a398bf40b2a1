import type { StandardSchemaV1 } from '@standard-schema/spec'
import { recordHandler, type RecordHandlerOptions, TerminalError } from 'lineclear'
import { z } from 'zod'
import { memoryQueueUrl } from '../../../src/testing/queues/description.ts'
import { BOOKED, entryOf } from './ledger.ts'
import type { Code, Rig } from './rig.ts'

/** A payment callback of a provider. */
export interface Callback {
  readonly tx: string
  readonly ref: string
  readonly nth: number
}

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

export const Good: z.ZodType<Callback> = z.object({
  tx: z.string(),
  ref: z.string(),
  nth: z.number(),
})
export const Bad: z.ZodType = Good.refine(() => false)
export const byTx = ({ tx }: Callback): string => tx

/** A consumer that enters a sale, charges for it and announces it. */
export function sales(
  rig: Rig,
  { ends = 'well', left, queue, id, schema = Good, ...more }: SalesOptions,
): Code {
  let runs = 0
  const options = {
    name: 'sales',
    ...rig.options,
    ...more,
    schema,
    ...(id === undefined ? {} : { id: (payload: unknown) => id(payload as Callback) }),
  }
  const handler = recordHandler(options, async (payload, ctx) => {
    runs += 1
    const { tx } = payload as Callback
    await ctx.applyOnce('entry', entryOf(tx))
    await ctx.once('charge', ({ idempotencyKey }) => rig.charge(tx, idempotencyKey))
    await ctx.sendTo(memoryQueueUrl(BOOKED), { tx })
    if (ends === 'fails' || (ends === 'once' && runs === 1)) throw new Error('not now')
    if (ends === 'dies') throw new TerminalError('never')
    if (ends === 'killed' && runs === 1) await rig.die()
  })
  return { handlers: { [queue]: handler }, ...(left === undefined ? {} : { left }) }
}
