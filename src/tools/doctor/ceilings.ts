import { formatDuration } from '../operator/text/humanTime.ts'

/** What a consumer of single records has to bear. */
export interface Load {
  /** New records a second. */
  readonly rate: number
  /** Share of records that fail once and end well at their second attempt, 0 to 1. */
  readonly failing: number
  /** Records in a batch. */
  readonly batch: number
  /** How long an ended request is remembered, milliseconds. */
  readonly retention: number
}

/** What one part of AWS has to bear, and what it can. */
interface Ceiling {
  readonly of: 'table' | 'index' | 'search' | 'delays' | 'one row' | 'one key'
  readonly needs: string
  readonly holds: string
  /**
   * For the search: whether it finds what is lost within a quarter of an hour. Nothing fails if it does not.
   * undefined: a rate does not say it, because it depends on what the handlers do.
   */
  readonly fits: boolean | undefined
  /** What to do if it does not fit, or only just. */
  readonly advice?: string
}

/** US dollars a month, on demand. Not in it: Lambda, logs, and what the handlers do. */
interface Price {
  readonly writes: number
  readonly queue: number
  readonly storage: number
  readonly search: number
}

/** Write units of a record that ends well at once, and in addition if it fails first: test/bench counts them. */
const UNITS = 2
const UNITS_OF_FAILURE = 7
/** How many of these are index writes: insert, move (2: delete and insert) with the second attempt, delete. */
const INDEX_UNITS_OF_FAILURE = 4
const ITEM_BYTES = 400

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html */
const NEW_TABLE = 4_000
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
const QUOTA = 40_000
/** 8 partition keys of `byStatus` for each status, 1,000 units each. */
const INDEX = 8_000
/** The sweeper's `readUnits`, in a run each minute. A unit of an eventually consistent read is 8 KB. */
const READ_UNITS = 1_000
const UNIT_BYTES = 8_192
/** A run that scans 1 MB after another, each in 75 ms. */
const MOST_READ_UNITS = 100_000
const FOUND_WITHIN_MINUTES = 15
const DELAYED = 6_000

/** Prices of us-east-1 in November 2026, on demand, in US dollars. */
const PRICE = { writes: 0.625e-6, reads: 0.125e-6, sqs: 0.4e-6, gigabyte: 0.25 }
const SECONDS_A_MONTH = 2_630_000
const MINUTES_A_MONTH = SECONDS_A_MONTH / 60

/** What a rate asks of table, index and search, and up to where they go along. */
export function ceilingsAt(load: Load): readonly Ceiling[] {
  return [tableAt(load), indexAt(load), searchAt(load), DELAYS, ONE_ROW, ONE_KEY]
}

function tableAt(load: Load): Ceiling {
  const needs = unitsOf(load)
  const told = { of: 'table', needs: `${count(needs)} write units a second` } as const
  if (needs > QUOTA) {
    const advice =
      'Ask AWS for a higher quota of write units for a table, or give consumers tables of their own.'
    return { ...told, holds: `${count(QUOTA)}, the quota of a table`, fits: false, advice }
  }
  const holds = `${count(NEW_TABLE)} when it is new, ${count(QUOTA)} by quota`
  if (needs <= NEW_TABLE) return { ...told, holds, fits: true }
  const advice = `A table on demand grows to twice its last peak within half an hour: set its warm throughput to ${count(Math.ceil(needs))} write units before such a rate begins.`
  return { ...told, holds, fits: true, advice }
}

function indexAt({ rate, failing }: Load): Ceiling {
  const needs = rate * failing * INDEX_UNITS_OF_FAILURE
  const outage = rate > INDEX / INDEX_UNITS_OF_FAILURE
  const advice = outage
    ? `When all records fail, more than ${count(INDEX / INDEX_UNITS_OF_FAILURE)} a second throttle the table: a circuit breaker keeps records on the queue meanwhile.`
    : undefined
  return {
    of: 'index',
    needs: `${count(needs)} write units a second, ${count(rate * INDEX_UNITS_OF_FAILURE)} if all records fail`,
    holds: count(INDEX),
    fits: needs <= INDEX,
    ...(advice !== undefined && { advice }),
  }
}

/** A turn of the sweeper's search reads all that the table remembers. */
function searchAt(load: Load): Ceiling {
  const units = turnOf(load)
  const minutes = Math.max(units / READ_UNITS, 1)
  const wanted = Math.ceil(units / FOUND_WITHIN_MINUTES)
  const told = {
    of: 'search',
    needs: `${count(itemsOf(load))} items: a turn takes ${formatDuration(minutes * 60_000)}`,
    holds: `${count((READ_UNITS * FOUND_WITHIN_MINUTES * UNIT_BYTES) / ITEM_BYTES)} items in a turn of ${FOUND_WITHIN_MINUTES} minutes`,
  } as const
  if (minutes <= FOUND_WITHIN_MINUTES) return { ...told, fits: true }
  const faster =
    wanted <= MOST_READ_UNITS
      ? `search: { readUnits: ${count(wanted).replaceAll(',', '_')} } (USD ${count(wanted * MINUTES_A_MONTH * PRICE.reads)} a month)`
      : 'no readUnits reads so much: a shorter retention'
  const advice =
    'SQS brings a lost attempt back by itself; the search finds those whose message is gone, too, and they are found that late. ' +
    `For ${FOUND_WITHIN_MINUTES} minutes ${faster}; or search: false, and an alarm on the age of the queue's oldest message.`
  return { ...told, fits: false, advice }
}

const DELAYS: Ceiling = {
  of: 'delays',
  needs: 'with storedDelays(): 4 write units for each message that waits',
  holds: `${count(DELAYED)} messages a second that become due`,
  fits: undefined,
}

/** `npm run bench -- --only hot` computes it. */
const ROW_WRITES = 50
const ONE_ROW: Ceiling = {
  of: 'one row',
  needs: 'where all records ctx.write one row, such as a counter: as many writes a second',
  holds: `${count(ROW_WRITES)} a second; at twice that a write takes 4 transactions, beyond it records wait`,
  fits: undefined,
}
/** `npm run bench -- --only key` computes it. */
const ONE_KEY: Ceiling = {
  of: 'one key',
  needs: 'with a flow: requests a second of one key',
  holds:
    'one run after the other: with 0.25 s for a run 2 a second begin within 15 s, at 4 some wait ten minutes; onConflict can drop or join them',
  fits: undefined,
}

export function priceOf(load: Load): Price {
  const { rate, batch, failing } = load
  // Received and deleted in batches; a failure is sent again, received and deleted.
  const requests = (rate * (2 + 3 * failing)) / batch
  const searched = Math.min(READ_UNITS, turnOf(load) / 5)
  return {
    writes: unitsOf(load) * SECONDS_A_MONTH * PRICE.writes,
    queue: requests * SECONDS_A_MONTH * PRICE.sqs,
    storage: ((itemsOf(load) * ITEM_BYTES) / 1e9) * PRICE.gigabyte,
    search: searched * MINUTES_A_MONTH * PRICE.reads,
  }
}

function unitsOf({ rate, failing }: Load): number {
  return rate * (UNITS + failing * UNITS_OF_FAILURE)
}

function itemsOf({ rate, retention }: Load): number {
  return (rate * retention) / 1_000
}

function turnOf(load: Load): number {
  return (itemsOf(load) * ITEM_BYTES) / UNIT_BYTES
}

/** With two digits that count. */
function count(number: number): string {
  if (number >= 1e12) return `${digits(number / 1e12)} trillion`
  if (number >= 1e9) return `${digits(number / 1e9)} billion`
  if (number >= 1e6) return `${digits(number / 1e6)} million`
  return number >= 10
    ? Math.round(number).toLocaleString('en')
    : String(Number(number.toPrecision(2)))
}

function digits(number: number): string {
  return number >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(2)))
}
