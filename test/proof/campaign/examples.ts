import { startPostgres } from '../../../examples/sql-ledger/local/startPostgres.ts'
import { tableDefinition } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { type Faults, type LocalCloud, startLocalCloud } from '../../../src/testing/local/index.ts'
import { addresses } from './examples/addresses.ts'
import { callbacks } from './examples/callbacks.ts'
import { chain } from './examples/chain.ts'
import type { Course, Place, Tally } from './examples/course.ts'
import { instrumentAll } from './examples/instrumentAll.ts'
import { nights } from './examples/nights.ts'
import { orders } from './examples/orders.ts'
import { parcels } from './examples/parcels.ts'
import { scans } from './examples/scans.ts'
import { payments } from './examples/payments.ts'
import { prices } from './examples/prices.ts'
import { reminders } from './examples/reminders.ts'
import { reports } from './examples/reports.ts'
import { transfers } from './examples/transfers.ts'
import { trips } from './examples/trips.ts'
import { uploads } from './examples/uploads.ts'
import type { RollOut } from './versions/rollOut.ts'
import { PRESENT } from './versions/version.ts'
import { EVERY_FAULT } from './faults.ts'
import { type Played, playOut } from './playOut.ts'
import { silent } from './silent.ts'

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
  scans,
}

const CONSUMED =
  'orders validate charge search found offer airline addresses rebuild announce callbacks uploads invoiced remind write archive transfers scans parcels'.split(
    ' ',
  )
const TOLD = ['paid', 'rebuilt', 'receipts', 'ledger']

export interface ExamplesOptions {
  readonly requests: number
  readonly seed: number
  readonly faults?: Faults
  /** Two versions in turn. */
  readonly rollOut?: RollOut
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

/** Twenty queues in one process: with four invocations each, of two seconds, attempts on a busy machine only end at their time. */
const TIMEOUT = 5
const CONCURRENCY = 2

const QUEUE = {
  visibilityTimeout: 3 * TIMEOUT,
  deadLetter: { queue: 'dead', maxReceiveCount: 1_000 },
}
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
  buses: { shop: { rules: [{ queue: 'parcels', sources: ['my.parcels'] }] } },
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
    EVENT_BUS_ARN: cloud.busArn('shop'),
    UPLOADS_BUCKET: 'my-uploads',
    PAYLOADS_BUCKET: 'payloads',
  }
}

async function play(cloud: LocalCloud, options: ExamplesOptions): Promise<ExamplesBooks> {
  const { requests: count, seed, faults = EVERY_FAULT } = options
  const { rollOut } = options
  const { versions } = rollOut ?? { versions: [PRESENT] }
  const place: Place = {
    cloud,
    mark: `s${seed}`,
    count,
    faults: { ...faults, seed },
    example: async (path, present) => rollOut?.exports(path, await present) ?? present,
    sweeper: (asked) => {
      const sweepers = versions.map((version) => version.sweeperOn(cloud, asked))
      return (rollOut?.inTurn ?? first)(sweepers)
    },
  }
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
    timeout: TIMEOUT,
    concurrency: CONCURRENCY,
    again: 'brought',
    requests: count,
    versions,
    send: async () => void (await Promise.all(courses.map((course) => course.send()))),
  })
  return { ...(await reconcile(courses)), dead: cloud.inspectQueue('dead').ready.length, ...played }
}

function first<Call>([call]: readonly Call[]): Call {
  if (call === undefined) throw new Error('no version')
  return call
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
