import { defineFlow, TerminalError } from 'lineclear'
import { snsWrapped } from 'lineclear/testing'
import { z } from 'zod'
import type { SqsHandler } from '../../../src/consumer/recordHandler.ts'
import { buildMessage } from '../../../src/record/envelope/buildMessage.ts'
import { memoryQueueUrl } from '../../../src/testing/queues/description.ts'
import type { Change, Options, Role, Trip } from './flowRows.ts'
import { BOOKED, entryOf } from './ledger.ts'
import type { Which } from './play.ts'
import type { Code, Rig } from './rig.ts'

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:trips'

/** How requests are delivered, and the policy when their key is held. */
export interface Path {
  readonly by: 'start' | 'sending' | 'SNS'
  readonly id?: boolean
  readonly fifo?: boolean
  readonly process: 'newest' | 'every'
  readonly onConflict: 'defer' | 'drop' | 'supersede' | 'coalesce'
}

const Good = z.object({ tx: z.string(), key: z.string(), at: z.number() })
const Bad = Good.refine(() => false)

const queueOf = (role: Role, { fifo }: Path): string => (fifo === true ? `${role}.fifo` : role)

/** Each stage enters, charges and announces, and sends to the next one. */
export function codeOf(rig: Rig, change: Change, path: Path): Code {
  const roles = change.stages ?? ['book', 'pay']
  const nameOf = (role: Role): string => change[role]?.name ?? role
  const stages = roles.map((role) => [
    nameOf(role),
    {
      schema: change[role]?.refuses === true ? Bad : Good,
      queueUrl: memoryQueueUrl(queueOf(role, path)),
      formerNames: change[role]?.formerNames ?? [],
      ...(path.by === 'SNS' ? { topics: [TOPIC] } : {}),
    },
  ])
  const options: Options = {
    name: 'trip',
    stages: Object.fromEntries(stages),
    key: ({ key }: Trip) => key,
    process: path.process,
    onConflict: path.onConflict,
    ...(path.id === true ? { id: ({ tx }: Trip) => tx, sentAt: ({ at }: Trip) => at } : {}),
    ...rig.options,
    ...change.flow,
  }
  const flow = defineFlow(options)
  const handlerOf = (role: Role, next: Role | undefined): SqsHandler => {
    if (change[role]?.broken === true) return notLoaded
    let runs = 0
    const { ends = 'well' } = change[role] ?? {}
    return flow.stageHandler(nameOf(role), async (payload, ctx) => {
      runs += 1
      const trip = payload as Trip
      const id = `${trip.tx}/${role}`
      await ctx.applyOnce('entry', entryOf(id))
      await ctx.once('charge', ({ idempotencyKey }) => rig.charge(id, idempotencyKey))
      await ctx.sendTo(memoryQueueUrl(BOOKED), { tx: id })
      if (next !== undefined) await ctx.next(nameOf(next) as never, trip)
      if (ends === 'fails' || (ends === 'once' && runs === 1)) throw new Error('not now')
      if (ends === 'dies') throw new TerminalError('never')
      if (ends === 'killed' && runs === 1) await rig.die()
    })
  }
  const handlers = new Map(roles.map((role, nth) => [role, handlerOf(role, roles[nth + 1])]))
  for (const [role, by] of Object.entries(change.instead ?? {})) {
    const handler = handlers.get(by)
    if (handler !== undefined) handlers.set(role as Role, handler)
  }
  return {
    handlers: Object.fromEntries(
      [...handlers].map(([role, handler]) => [queueOf(role, path), handler]),
    ),
    ...(change.left === undefined ? {} : { left: change.left }),
  }
}

/** As Lambda does with a function that throws: the whole batch is redelivered. */
const notLoaded: SqsHandler = async ({ Records }) => ({
  batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
})

/** A sender that repeats itself gives the same id and the same time. */
export function request(rig: Rig, which: Which, path: Path): void {
  const tx = which === 'rival' ? 't2' : 't1'
  if (which === 'rival') rig.advance(1_000)
  const at = which === 'rival' ? rig.clock.now() : rig.born
  const trip: Trip = { tx, key: 'k', at }
  const queue = queueOf('book', path)
  const order = { groupId: 'k', deduplicationId: `${tx}/${which}` }
  const body = JSON.stringify(trip)
  if (path.by === 'start') {
    const stamp = { uniqueRequestId: tx, sentAt: at, retry: 0, hops: 0 }
    rig.send(queue, { ...buildMessage(body, {}, stamp), ...order })
  } else if (path.by === 'SNS') {
    const messageId = `5f0d8e1c-0000-4000-8000-00000000000${tx === 't1' ? 1 : 2}`
    const notification = snsWrapped(trip, { topicArn: TOPIC, messageId, timestamp: at })
    rig.send(queue, { body: notification.body, attributes: {} })
  } else {
    rig.send(queue, { body, attributes: {} })
  }
}
