import type { Keep } from './keep.ts'

export interface Example {
  readonly about: string
  /** How many of its requests: few enough to read. */
  readonly count: number
  /** @returns whether its books are right at the end */
  run(count: number, say: (line: string) => void, keep?: Keep): Promise<boolean>
}

type Run<Books> = (count: number, say: (line: string) => void, keep?: Keep) => Promise<Books>

function example<Books>(
  about: string,
  count: number,
  load: () => Promise<{ readonly run: Run<Books> }>,
  isRight: (books: Books, count: number) => boolean,
): Example {
  return {
    about,
    count,
    run: async (many, say, keep) => isRight(await (await load()).run(many, say, keep), many),
  }
}

export const EXAMPLES: Readonly<Record<string, Example>> = {
  orders: example(
    'wrap a consumer: reserve, charge, tell; each once',
    4,
    () => import('./orders/run.ts'),
    ({ reserved, charges, paid }, orders) =>
      reserved === orders && charges === orders && paid === orders,
  ),
  'chain-lambdas': example(
    'one flow over two Lambdas',
    4,
    () => import('./chain-lambdas/run.ts'),
    ({ charged, charges, sales }, carts) =>
      charged === carts && charges === carts && sales === carts,
  ),
  'provider-down': example(
    'a bank that is down: payouts wait, spend no attempt, and go on by themselves',
    30,
    () => import('./provider-down/run.ts'),
    ({ transfers, booked, dead }, payouts) =>
      transfers === payouts && booked === payouts && dead === 0,
  ),
  'external-callback': example(
    'wait for an outside system that answers late, twice, or never',
    10,
    () => import('./external-callback/run.ts'),
    ({ offers, doubled }, trips) => offers === trips && doubled === 0,
  ),
  tracing: example(
    'one request over three Lambdas, as its trace shows it',
    1,
    () => import('./tracing/run.ts'),
    ({ lines }) => lines.length > 0,
  ),
  'timestamp-guard': example(
    'the newest wins, in any order of arrival',
    3,
    () => import('./timestamp-guard/run.ts'),
    ({ wrong }) => wrong === 0,
  ),
  'late-writes': example(
    'a bucket refuses the write of an attempt that was overtaken, by its fence',
    3,
    () => import('./late-writes/run.ts'),
    ({ written, refused, wrong }, accounts) =>
      written === accounts && refused === accounts && wrong === 0,
  ),
  eventbridge: example(
    'scans become events on a bus; behind it each is one request, whatever is put twice or comes late',
    3,
    () => import('./eventbridge/run.ts'),
    ({ moves, scans, wrong }) => moves === scans && wrong === 0,
  ),
  durable: example(
    'SQS begins a durable function of AWS once for each customer, whatever is delivered twice',
    4,
    () => import('./durable/run.ts'),
    ({ executions, opened }, customers) => executions === customers && opened === customers,
  ),
  'fair-queue': example(
    'two tenants on a fair queue: what a handler sends, retries and dead letters stay with theirs',
    20,
    () => import('./fair-queue/run.ts'),
    ({ sent, dead }, imports) =>
      sent['large'] === imports * 0.9 &&
      dead['large'] === imports / 10 &&
      sent['small'] === imports / 10,
  ),
  's3-uploads': example(
    'a register of the files in a bucket, from notifications in any order',
    3,
    () => import('./s3-uploads/run.ts'),
    ({ wrong }) => wrong === 0,
  ),
  'cache-rebuild': example(
    'a cache that is triggered while it is being rebuilt',
    2,
    () => import('./cache-rebuild/run.ts'),
    ({ rebuilds, announced, outdated }) => announced === rebuilds && outdated === 0,
  ),
  'payments-api': example(
    'an API that charges once, however often it is called',
    2,
    () => import('./payments-api/run.ts'),
    ({ payments, bookings, refunds, payouts }) =>
      payments.every(({ charges }) => charges === 1) &&
      bookings.booked === 2 &&
      refunds.refunds === 2 &&
      payouts.payouts === 1,
  ),
  'job-status': example(
    'an API that answers 202 with a link, and what the link says of the job',
    4,
    () => import('./job-status/run.ts'),
    ({ accepted, completed }, jobs) => accepted === 2 * jobs && completed === jobs,
  ),
  'agent-tools': example(
    "an agent's forty tool calls, each made once, in whatever order they are asked for again",
    40,
    () => import('./agent-tools/run.ts'),
    ({ requests, bookings, faxes, answers, dead }, calls) =>
      bookings === calls &&
      requests >= calls &&
      faxes.every((times) => times === 1) &&
      answers === 1 &&
      dead.join() === 'unknown',
  ),
  schedule: example(
    'a nightly settlement, delivered again and again',
    4,
    () => import('./schedule/run.ts'),
    (books, count) =>
      [books.nights, books.entries].every((nights) => nights === count) &&
      books.cents === books.booked,
  ),
  'sql-ledger': example(
    'double-entry bookkeeping in PostgreSQL, whose connections are cut',
    40,
    () => import('./sql-ledger/run.ts'),
    ({ booked, entries, sum, receipts }, transfers) =>
      booked === transfers && entries === 2 * transfers && sum === 0 && receipts === transfers,
  ),
  'provider-webhook': example(
    "a provider's webhook that is taken once for ever",
    4,
    () => import('./provider-webhook/run.ts'),
    ({ entries, cents, unauthorized }, transactions) =>
      entries === transactions && cents === 100 * transactions && unauthorized === 4,
  ),
  reminder: example(
    'an invoice that is not paid within a day gets a reminder',
    6,
    () => import('./reminder/run.ts'),
    ({ invoices, early, wrong }, count) => invoices === count && early === 0 && wrong === 0,
  ),
  'large-payloads': example(
    'payloads larger than a message go through S3',
    4,
    () => import('./large-payloads/run.ts'),
    ({ wrong }) => wrong === 0,
  ),
  reconcile: example(
    'your own books checked against the table: losses and doubles by id',
    10,
    () => import('./reconcile/run.ts'),
    ([sound, spoilt]) => sound?.verdict === 'balanced' && spoilt?.verdict === 'anomalies',
  ),
}

/** Folders of examples that have another command. */
export const OWN_COMMANDS: Readonly<Record<string, string>> = {
  demo: 'npm run demo',
  broken: 'npm run demo -- --broken',
}
