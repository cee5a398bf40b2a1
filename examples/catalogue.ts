import type { Keep } from './keep.ts'

export interface Example {
  readonly about: string
  /** How many of its requests: few enough to read. */
  readonly count: number
  load(): Promise<{
    run(count: number, say: (line: string) => void, keep?: Keep): Promise<unknown>
  }>
}

export const EXAMPLES: Readonly<Record<string, Example>> = {
  orders: {
    about: 'wrap a consumer: reserve, charge, tell; each once',
    count: 4,
    load: () => import('./orders/run.ts'),
  },
  'chain-lambdas': {
    about: 'one flow over two Lambdas',
    count: 4,
    load: () => import('./chain-lambdas/run.ts'),
  },
  'orders-supersede': {
    about: 'an order that is changed while it is worked on: what the older one did is undone',
    count: 4,
    load: () => import('./orders-supersede/run.ts'),
  },
  'dead-orders': {
    about: 'an order that no carrier takes: what it has reserved and charged is undone',
    count: 6,
    load: () => import('./dead-orders/run.ts'),
  },
  'provider-down': {
    about: 'a bank that is down: payouts wait, spend no attempt, and go on by themselves',
    count: 30,
    load: () => import('./provider-down/run.ts'),
  },
  'external-callback': {
    about: 'wait for an outside system that answers late, twice, or never',
    count: 10,
    load: () => import('./external-callback/run.ts'),
  },
  tracing: {
    about: 'one request over three Lambdas, as its trace shows it',
    count: 1,
    load: () => import('./tracing/run.ts'),
  },
  'timestamp-guard': {
    about: 'the newest wins, in any order of arrival',
    count: 3,
    load: () => import('./timestamp-guard/run.ts'),
  },
  eventbridge: {
    about: 'events of EventBridge, out of order and replayed from an archive',
    count: 3,
    load: () => import('./eventbridge/run.ts'),
  },
  's3-uploads': {
    about: 'a register of the files in a bucket, from notifications in any order',
    count: 3,
    load: () => import('./s3-uploads/run.ts'),
  },
  'cache-rebuild': {
    about: 'a cache that is triggered while it is being rebuilt',
    count: 2,
    load: () => import('./cache-rebuild/run.ts'),
  },
  'payments-api': {
    about: 'an API that charges once, however often it is called',
    count: 2,
    load: () => import('./payments-api/run.ts'),
  },
  schedule: {
    about: 'a nightly settlement, delivered again and again',
    count: 4,
    load: () => import('./schedule/run.ts'),
  },
  'sql-ledger': {
    about: 'double-entry bookkeeping in PostgreSQL, whose connections are cut',
    count: 40,
    load: () => import('./sql-ledger/run.ts'),
  },
  'provider-webhook': {
    about: "a provider's webhook that is taken once for ever",
    count: 4,
    load: () => import('./provider-webhook/run.ts'),
  },
  reminder: {
    about: 'an invoice that is not paid within a day gets a reminder',
    count: 6,
    load: () => import('./reminder/run.ts'),
  },
  'large-payloads': {
    about: 'payloads larger than a message go through S3',
    count: 4,
    load: () => import('./large-payloads/run.ts'),
  },
  reconcile: {
    about: 'your own books checked against the table: losses and doubles by id',
    count: 10,
    load: () => import('./reconcile/run.ts'),
  },
}

/** Folders of examples that have another command. */
export const OWN_COMMANDS: Readonly<Record<string, string>> = {
  demo: 'npm run demo',
  broken: 'npm run demo -- --broken',
}
