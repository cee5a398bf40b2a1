import { PublishCommand } from '@aws-sdk/client-sns'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import { type Faults, type LocalCloud, startLocalCloud } from '../../../src/testing/local/index.ts'
import type { Metrics } from '../../../src/library/features/metrics/metrics.ts'
import { tableDefinition } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { audit } from './audit.ts'
import { NO_PAUSE, openOvertime } from './overtime.ts'
import { randomOf } from './plan.ts'
import { EVERY_FAULT } from './faults.ts'
import { type Played, playOut } from './playOut.ts'
import { readRows } from './readRows.ts'
import type { RollOut } from './versions/rollOut.ts'
import { PRESENT } from './versions/version.ts'
import { KINDS, type Shop } from './shop.ts'
import { silent } from './silent.ts'

type Kind = (typeof KINDS)[number]

export interface Order {
  readonly id: string
  readonly kind: Kind
  readonly by: 'sqs' | 'sns'
  readonly copies: number
}

export interface OrdersOptions {
  readonly requests: number
  readonly seed: number
  readonly faults?: Faults
  readonly concurrency?: number
  /** How far the clocks of the functions are ahead, milliseconds: each invocation has the next one. Default: none is. */
  readonly clocks?: readonly number[]
  /** Only good orders, one copy each. */
  readonly calm?: boolean
  readonly metrics?: Metrics
  /** Of the functions, seconds. Default 2. */
  readonly timeout?: number
  /** Records of one invocation at most. Default 10. */
  readonly batchSize?: number
  /** Attempts run on after their time. */
  readonly runningOn?: boolean
  /**
   * A deployment whose schema refuses every order, in the middle of retries, milliseconds since the start; then it is rolled back
   * and all dead letters are redriven.
   */
  readonly badDeployment?: { readonly after: number; readonly for: number }
  /** Two versions in turn. All dead letters are redriven by each, for the other. Default: the present one. */
  readonly rollOut?: RollOut
}

/** All but `requests`, `completed` and `deadLetters` should be empty. */
export interface OrdersBooks extends Played {
  readonly requests: number
  readonly completed: number
  /** Orders in the dead-letter queue: those with poison or garbage in them. */
  readonly deadLetters: number
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** Records by how they ended. */
  readonly settled: Readonly<Record<string, number>>
  /** Dead letters by their reason, those included that were redriven. */
  readonly reasons: Readonly<Record<string, number>>
}

const QUEUE = { visibilityTimeout: 12, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }

/** Orders of one consumer, and shipments of the next: sums, an outside charge and a message each. */
export async function runOrders(options: OrdersOptions): Promise<OrdersBooks> {
  const { requests: count, seed, faults = EVERY_FAULT, concurrency = 4, clocks = [0] } = options
  const { timeout = 2, runningOn = false } = options
  const overtime = runningOn ? openOvertime(seed, timeout) : undefined
  const pause = overtime?.pause ?? NO_PAUSE
  await using cloud = await startLocalCloud(
    {
      queues: { orders: QUEUE, shipments: QUEUE, dead: {} },
      topics: { placed: { subscriptions: [{ queue: 'orders' }] } },
      tables: { lineclear: tableDefinition(), effects: { hash: 'id' } },
    },
    { logger: silent },
  )
  const orders = planOrders(count, seed, options.calm === true)
  const charges = new Map<string, string>()
  const settled: Record<string, number> = {}
  const reasons: Record<string, number> = {}
  const onSettled = (settlement: Settlement): void => {
    const { kind } = settlement
    settled[kind] = (settled[kind] ?? 0) + 1
    if (kind === 'deadLettered') reasons[settlement.reason] = (reasons[settlement.reason] ?? 0) + 1
  }
  const { rollOut, metrics } = options
  const stock = { isBack: false }
  const place = { cloud, charges, stock, onSettled, metrics, pause }
  const { versions } = rollOut ?? { versions: [PRESENT] }
  const shops = versions.flatMap((version) =>
    clocks.map((ahead) => version.shopOn(place, ahead, 'good')),
  )
  const bad = PRESENT.shopOn(place, 0, 'refuses all')
  const began = Date.now()
  const isBad = (): boolean => {
    const { after, for: lasts } = options.badDeployment ?? { after: 0, for: 0 }
    const time = Date.now() - began
    return time >= after && time < after + lasts
  }
  let turn = 0
  const next = rollOut?.next ?? (() => (turn += 1) % shops.length)
  const inTurn =
    (queue: keyof Shop): SqsHandler =>
    (event, context) => {
      const handler = isBad() ? bad[queue] : shops[next()]?.[queue]
      if (handler === undefined) throw new Error('no handler')
      return handler(event, context)
    }
  const played = await playOut({
    cloud,
    faults,
    seed,
    concurrency,
    timeout,
    overtime,
    batchSize: options.batchSize,
    requests: count,
    handlers: { orders: inTurn('orders'), shipments: inTurn('shipments') },
    versions,
    send: () => send(cloud, orders),
    between: rollOut
      ? [0, 1, 1, undefined].map((version, nth) => async () => {
          rollOut.settleOn(version)
          stock.isBack = nth >= 2
          if (nth < 3) await versions[1 - (nth % 2)]?.redriveAll(cloud)
        })
      : options.badDeployment && [() => PRESENT.redriveAll(cloud)],
  })
  return { ...(await reconcile(cloud, orders, charges, stock.isBack)), ...played, settled, reasons }
}

function planOrders(count: number, seed: number, isCalm: boolean): readonly Order[] {
  const random = randomOf(seed)
  const kinds = isCalm ? (['good'] as const) : KINDS
  return Array.from({ length: count }, (_, nth) => ({
    id: `o${seed}-${nth}`,
    kind: kinds[Math.floor(random() * kinds.length)] ?? 'good',
    by: random() < 0.4 ? 'sns' : 'sqs',
    copies: !isCalm && random() < 0.15 ? 2 : 1,
  }))
}

async function send(cloud: LocalCloud, orders: readonly Order[]): Promise<void> {
  for (const { id, kind, by, copies } of orders) {
    const text = JSON.stringify(
      kind === 'garbage' ? { orderId: 5, was: id } : { orderId: id, kind },
    )
    for (let copy = 0; copy < copies; copy++) {
      await (by === 'sqs'
        ? cloud.sqs.send(
            new SendMessageCommand({ QueueUrl: cloud.queueUrl('orders'), MessageBody: text }),
          )
        : cloud.sns.send(new PublishCommand({ TopicArn: cloud.topicArn('placed'), Message: text })))
    }
  }
}

async function reconcile(
  cloud: LocalCloud,
  orders: readonly Order[],
  charges: ReadonlyMap<string, string>,
  isBack: boolean,
): Promise<Omit<OrdersBooks, keyof Played | 'settled' | 'reasons'>> {
  const audited = await audit(cloud, ['ordered'], { consumer: 'orders', effects: ['order'] })
  const rows = await readRows(cloud, 'effects')
  const counts = new Map(rows.map((row) => [row['id']?.S, row] as const))
  const deadLetters = new Set(cloud.inspectQueue('dead').ready.map(({ body }) => orderIn(body)))
  const countOf = (id: string, field: string): number => Number(counts.get(id)?.[field]?.N ?? 0)
  const chargesOf = Map.groupBy(charges.values(), (id) => id)
  const isPoison = (kind: Kind): boolean => kind === 'poison' && !isBack
  const wanted = (kind: Kind): readonly number[] =>
    kind === 'garbage' ? [0, 0, 0] : isPoison(kind) ? [1, 1, 0] : [1, 1, 1]
  const have = ({ id }: Order): readonly number[] => [
    countOf(id, 'ordered'),
    chargesOf.get(id)?.length ?? 0,
    countOf(id, 'shipped'),
  ]
  const hasDeadLetter = ({ id, kind }: Order): boolean =>
    deadLetters.has(id) === (isPoison(kind) || kind === 'garbage')
  const compare = (order: Order, is: (have: number, wanted: number) => boolean): boolean =>
    have(order).some((number, nth) => is(number, wanted(order.kind)[nth] ?? 0))
  return {
    requests: orders.length,
    completed: orders.filter(({ id }) => countOf(id, 'shipped') === 1).length,
    deadLetters: deadLetters.size,
    lost: [
      ...audited.lost,
      ...orders
        .filter(
          (order) => compare(order, (number, least) => number < least) || !hasDeadLetter(order),
        )
        .map(({ id }) => id),
    ],
    doubled: [
      ...audited.doubled,
      ...orders
        .filter((order) => compare(order, (number, most) => number > most))
        .map(({ id }) => id),
    ],
  }
}

/** The dead letter of a message from a topic has the notification as its body. */
function orderIn(body: string): string {
  return /\bo\d+-\d+\b/.exec(body)?.[0] ?? body
}
