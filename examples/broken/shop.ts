import type { Clients, Clock, Logger, Store } from 'lineclear'
import type { CloudDescription, LocalCloud, QueueDescription } from 'lineclear/local'

/** What the consumers of the shop work with. */
export interface Shop {
  readonly cloud: LocalCloud
  readonly options: ShopOptions
  readonly tables: ShopTables
  /** Whether the cause of a fault is repaired. */
  isRepaired(cause: Cause): boolean
}

/** Options that all of them have. */
export interface ShopOptions {
  readonly store: Store
  readonly logger: Logger
  readonly clock: Clock
  readonly clients: Clients
}

/**
 * `bank`: the payment provider is down. `carrier`: a mistake in the code that books parcels. `printer`: labels jam. `deployment`:
 * version 42 of three functions. `throughput`: of the table of shelves. `mapping`: newsletters, disabled by hand. `tenant`: one sends
 * without an end.
 */
export const CAUSES = [
  'bank',
  'carrier',
  'printer',
  'deployment',
  'throughput',
  'mapping',
  'tenant',
] as const
export type Cause = (typeof CAUSES)[number]

/** Names of tables. */
export interface ShopTables {
  readonly lineclear: string
  readonly stock: string
  readonly shelves: string
}

/**
 * Timeouts of the shop's functions, and of `mails`, which waits for answers that never arrive. Long enough for a slow machine.
 */
export const FUNCTION_TIMEOUT = '20s'
export const MAILS_TIMEOUT = '4s'

/** @param hidden seconds, after which SQS delivers again what a killed function had */
function consumed(deadLetters: string, hidden = 30): QueueDescription {
  return {
    visibilityTimeout: hidden,
    deadLetter: { queue: deadLetters, maxReceiveCount: 1_000 },
  }
}

export const QUEUES: NonNullable<CloudDescription['queues']> = {
  orders: consumed('orders-dead'),
  'orders-dead': {},
  invoices: consumed('invoices-dead'),
  'invoices-dead': {},
  mails: consumed('mails-dead', 5),
  'mails-dead': {},
  labels: consumed('labels-dead'),
  'labels-dead': {},
  pack: consumed('parcels-dead'),
  ship: consumed('parcels-dead'),
  'parcels-dead': {},
  register: consumed('returns-dead'),
  inspected: consumed('returns-dead'),
  refund: consumed('returns-dead'),
  'returns-dead': {},
  warehouse: {},
  ...Object.fromEntries(
    ['baskets', 'bills', 'offers', 'scans', 'uploads', 'newsletters', 'reminders', 'gifts'].flatMap(
      (name) => [
        [name, consumed(`${name}-dead`)],
        [`${name}-dead`, {}],
      ],
    ),
  ),
}
