import { startPostgres } from '../../../examples/sql-ledger/local/startPostgres.ts'
import { tableDefinition } from '../../../src/store/dynamodb/index.ts'
import { type Faults, type LocalCloud, startLocalCloud } from '../../../src/testing/local/index.ts'
import { addresses } from './examples/addresses.ts'
import { callbacks } from './examples/callbacks.ts'
import { chain } from './examples/chain.ts'
import { changes } from './examples/changes.ts'
import type { Course, Place, Tally } from './examples/course.ts'
import { instrumentAll } from './examples/instrumentAll.ts'
import { nights } from './examples/nights.ts'
import { orders } from './examples/orders.ts'
import { parcels } from './examples/parcels.ts'
import { payments } from './examples/payments.ts'
import { prices } from './examples/prices.ts'
import { reminders } from './examples/reminders.ts'
import { reports } from './examples/reports.ts'
import { transfers } from './examples/transfers.ts'
import { trips } from './examples/trips.ts'
import { uploads } from './examples/uploads.ts'
import { EVERY_FAULT, type Played, playOut, silent } from './playOut.ts'

const COURSES = {
  orders,
  chain,
  trips,
  addresses,
  prices,
  payments,
  callbacks,
  uploads,
  reminders,
  reports,
  transfers,
  nights,
  parcels,
  changes,
}

const CONSUMED =
  'orders validate charge search found offer airline addresses rebuild announce callbacks uploads invoiced remind write archive transfers parcels reserve pay'.split(
    ' ',
  )
const TOLD = ['paid', 'rebuilt', 'receipts', 'ledger']

export interface ExamplesOptions {
  readonly requests: number
  readonly seed: number
  readonly faults?: Faults
}

export interface ExamplesBooks extends Played {
  /** Actual of expected, by what is counted. */
  readonly books: Readonly<Record<string, string>>
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly dead: number
}

/** All examples as they stand, on one cloud; each run has requests of its own. Dispose of it at the end. */
export interface Examples extends AsyncDisposable {
  run(options: ExamplesOptions): Promise<ExamplesBooks>
}

/** The examples read their queues and topics from the environment when they are loaded: one cloud for all runs. */
export async function openExamples(): Promise<Examples> {
  const [cloud, postgres] = await Promise.all([
    startLocalCloud(DESCRIPTION, { logger: silent }),
    startPostgres(),
  ])
  Object.assign(process.env, cloud.environment, placesOf(cloud), QUIET, {
    DATABASE_URL: postgres.url,
  })
  const instrumented = instrumentAll(cloud)
  return {
    run: (options) => play(cloud, options),
    async [Symbol.asyncDispose]() {
      instrumented[Symbol.dispose]()
      await Promise.all([cloud.stop(), postgres.stop()])
    },
  }
}

const QUEUE = { visibilityTimeout: 12, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
const DESCRIPTION = {
  queues: {
    ...Object.fromEntries(CONSUMED.map((name) => [name, QUEUE])),
    ...Object.fromEntries(TOLD.map((name) => [name, {}])),
    dead: {},
  },
  topics: {
    orders: { subscriptions: [{ queue: 'orders' }] },
    paid: { subscriptions: [{ queue: 'paid' }] },
  },
  tables: {
    lineclear: tableDefinition(),
    stock: { hash: 'sku' },
    carts: { hash: 'cartId' },
    sales: { hash: 'id' },
    offers: { hash: 'tripId' },
    customers: { hash: 'customerId' },
    source: { hash: 'region' },
    cache: { hash: 'region' },
    rebuilds: { hash: 'region' },
    ledger: { hash: 'id' },
    files: { hash: 'file' },
    invoices: { hash: 'orderId' },
    reports: { hash: 'reportId' },
    parcels: { hash: 'parcelId' },
    placed: { hash: 'id' },
  },
  buckets: ['payloads'],
}

const QUIET = { POWERTOOLS_LOG_LEVEL: 'SILENT' }

function placesOf(cloud: LocalCloud): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(
      [...CONSUMED, ...TOLD].map((name) => [`${name.toUpperCase()}_QUEUE`, cloud.queueUrl(name)]),
    ),
    ORDERS_TOPIC: cloud.topicArn('orders'),
    PAID_TOPIC: cloud.topicArn('paid'),
    UPLOADS_BUCKET: 'my-uploads',
    PAYLOADS_BUCKET: 'payloads',
  }
}

async function play(cloud: LocalCloud, options: ExamplesOptions): Promise<ExamplesBooks> {
  const { requests: count, seed, faults = EVERY_FAULT } = options
  const place: Place = { cloud, mark: `s${seed}`, count, faults: { ...faults, seed } }
  const courses = await Promise.all(Object.values(COURSES).map((open) => open(place)))
  const handlers = Object.assign(
    {},
    ...courses.map((course) => course.handlers),
  ) as Course['handlers']
  const played = await playOut({
    cloud,
    handlers,
    faults,
    seed,
    again: 'brought',
    patience: 240_000 + count * 2_000,
    send: async () => void (await Promise.all(courses.map((course) => course.send()))),
  })
  return { ...(await reconcile(courses)), dead: cloud.inspectQueue('dead').ready.length, ...played }
}

async function reconcile(
  courses: readonly Course[],
): Promise<Pick<ExamplesBooks, 'books' | 'lost' | 'doubled'>> {
  const all = await Promise.all(courses.map((course) => course.books()))
  const wanted: Tally = Object.assign({}, ...all.map((each) => each.wanted))
  const had: Tally = Object.assign({}, ...all.map((each) => each.had))
  const namesWhere = (is: (have: number, want: number) => boolean): readonly string[] =>
    Object.entries(wanted).flatMap(([name, want]) => (is(had[name] ?? 0, want) ? [name] : []))
  return {
    books: Object.fromEntries(
      Object.entries(wanted).map(([name, want]) => [name, `${had[name]} of ${want}`]),
    ),
    lost: namesWhere((have, want) => have < want),
    doubled: namesWhere((have, want) => have > want),
  }
}
