import type { Context } from 'aws-lambda'
import type { Handle } from '../../src/batch/attempt.ts'
import { consume } from '../../src/batch/consume.ts'
import type { Consumer } from '../../src/batch/consumer.ts'
import { isAcknowledged, type Settlement } from '../../src/batch/settlement.ts'
import { hasCode, messageOf } from '../../src/errors.ts'
import { tokenKey } from '../../src/lock/token.ts'
import type { Messenger } from '../../src/queue/messenger.ts'
import type { Store } from '../../src/store/store.ts'
import { memoryStore } from '../../src/store/memory/memoryStore.ts'
import { messengerOf } from './modelMessenger.ts'
import { storeOf, type Table, tokenIn } from './modelStore.ts'
import { type Letter, openQueue, type Queue, receive, remove } from './sqs.ts'
import { openWatch, type Watch } from './watch.ts'
import { type Actor, call, enter, leave, violate, type World } from './world.ts'

export const QUEUE_ARN = 'arn:aws:sqs:eu-west-1:123456789012:orders'
export const QUEUE_URL = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
export const DEAD_LETTER_URL = `${QUEUE_URL}-dead`
export const NEXT_URL = `${QUEUE_URL}-next`

/** A part of the protection taken away, to see what it was good for. */
export interface Removal {
  readonly store?: (base: Store) => Store
  readonly messenger?: (real: Messenger, lab: Lab, letter: Letter) => Messenger
  readonly acknowledges?: (settlement: Settlement) => boolean
}

/** Everything outside the code under test. */
export interface Lab {
  readonly world: World
  readonly table: Table
  readonly queue: Queue
  readonly deadLetters: Queue
  /** What handlers sent on, by id. */
  readonly next: Queue
  readonly watch: Watch
  readonly service: Service
  readonly removal: Removal
  readonly consumer: Consumer
  readonly handler: (lab: Lab, actor: Actor) => Handle
}

/** An outside system: every call that arrives, by its key. */
export interface Service {
  readonly calls: string[]
}

export function openLab(
  world: World,
  consumer: Consumer,
  handler: Lab['handler'],
  removal: Removal,
): Lab {
  const base = memoryStore()
  const table: Table = { base, shown: removal.store?.(base) ?? base, before: new Map() }
  const queue = openQueue()
  const deadLetters = openQueue()
  const tokenOf = (id: string): ReturnType<typeof tokenIn> =>
    tokenIn(table, id.startsWith('lock#') ? id : tokenKey(consumer.name, id).pk)
  const watch = openWatch(world, { maxAttempts: consumer.maxAttempts, tokenOf, queue, deadLetters })
  const service = { calls: [] }
  return {
    world,
    table,
    queue,
    deadLetters,
    next: openQueue(),
    watch,
    service,
    removal,
    consumer,
    handler,
  }
}

/** Lambda hands the message to an invocation of its own. */
export function deliver(lab: Lab, letter: Letter): void {
  const { world, watch } = lab
  const record = receive(lab.queue, letter, world.now, QUEUE_ARN)
  const actor = enter(world, String.fromCharCode(65 + (world.actors.length % 26)))
  const handle = lab.handler(lab, actor)
  const messenger = messengerOf(actor, lab)
  const consumer: Consumer = {
    ...lab.consumer,
    store: storeOf(actor, world, lab.table, watch),
    messenger: lab.removal.messenger?.(messenger, lab, letter) ?? messenger,
    clock: world.clock,
    onSettled: (settlement) => {
      actor.settlement = settlement
    },
  }
  world.log.push(
    `${actor.name} receives ${letter.id}${letter.retry > 0 ? ` (re-send ${letter.retry})` : ''}`,
  )
  world.current = actor
  consume({ Records: [record] }, contextOf(actor, world), consumer, (payload, ctx) => {
    watch.ran(actor, ctx.uniqueRequestId)
    world.log.push(`${actor.name} runs the handler, attempt ${ctx.attempt}`)
    return handle(payload, ctx)
  }).then(
    ({ batchItemFailures }) => answer(lab, actor, letter, batchItemFailures.length === 0),
    (error: unknown) => {
      if (!hasCode(error, 'STORE_UNAVAILABLE'))
        violate(world, `the invocation threw ${messageOf(error)}`)
      answer(lab, actor, letter, false)
    },
  )
}

function answer(lab: Lab, actor: Actor, letter: Letter, succeeded: boolean): void {
  const { world, removal } = lab
  if (actor.state === 'killed') return
  const { settlement } = actor
  const acknowledged =
    succeeded || (settlement !== undefined && removal.acknowledges?.(settlement) === true)
  world.log.push(
    `${actor.name} answers: ${settlement?.kind ?? 'failed'}${acknowledged ? '' : ', the message stays'}`,
  )
  leave(world, actor, 'answered')
  if (settlement !== undefined && succeeded !== isAcknowledged(settlement)) {
    violate(world, `${settlement.kind} was answered with ${succeeded ? 'success' : 'failure'}`)
  }
  if (acknowledged) acknowledge(lab, actor, letter)
}

function acknowledge(lab: Lab, actor: Actor, letter: Letter): void {
  lab.watch.acknowledged(letter)
  const lambda: Actor = { ...actor, name: `Lambda, for ${actor.name},`, state: 'running' }
  void call(lab.world, lambda, {
    what: `deletes ${letter.id}`,
    apply: async () => remove(lab.queue, letter.id),
    unanswered: () => {},
    faults: ['request lost'],
  })
}

function contextOf({ name, startedAt }: Actor, world: World): Context {
  const context: Partial<Context> = {
    functionName: 'orders',
    awsRequestId: name,
    getRemainingTimeInMillis: () => 900_000 - (world.now - startedAt),
  }
  return context as Context
}
