import type { Clock } from '../../base/clock.ts'
import { isObject } from '../../base/kindOf.ts'
import { isoTime } from '../../base/time.ts'
import {
  type Again,
  type CommandAnswer,
  type Cost,
  JSON_VERSION,
  type Reply,
  replyOf,
} from './reply.ts'
import { argumentsOf, type Form } from './form.ts'
import { flag, id, prefix } from '../commands/kinds.ts'

/** How many items the table has, and their bytes: DynamoDB counts them every six hours. */
export interface TableSize {
  readonly items: number
  readonly bytes: number
}

interface SearchOptions {
  readonly again: Again
  readonly clock: Clock
  readonly local: boolean
  /** undefined: it could not be asked. */
  readonly tableSize: () => Promise<TableSize | undefined>
}

/** Parameters of the route: `letters` and `scan` are what costs something in an account, and is only done when asked for. */
const SEARCH: Form = {
  words: 'search',
  arguments: {},
  options: {
    q: { kind: id, required: true, page: true },
    queues: { kind: prefix, page: true },
    letters: { kind: flag, page: true },
    scan: { kind: flag, page: true },
  },
}

type Given = Readonly<Record<string, unknown>>

/** `GET /api/search` */
export interface SearchAnswer<Letter> {
  readonly q: string
  readonly cost: Cost
  readonly found: Found<Letter>
  readonly notSearched: readonly NotSearched[]
}

export interface Found<Letter = unknown> {
  /** `pk` of items, or the id that the log of a local cloud knows. */
  readonly items: readonly string[]
  /** Dead letters, without their bodies. */
  readonly letters: readonly Letter[]
}

/** Where it was not looked, and what that would cost. */
export interface NotSearched {
  readonly place: 'dead letters' | 'whole table' | 'key of a caller'
  readonly why: string
  /** The parameter that searches there. */
  readonly ask?: 'letters' | 'scan'
  readonly units?: number
}

/** Consumers, flows and scopes under which a bare id is looked up: each costs a handful of queries. */
const MOST_OWNERS = 20

/**
 * Finds an id by what the commands can find: a request, a flow's key, a key that a caller has sent, an external id, the id of an
 * SQS message. It ends with the first place that has it, the cheapest first, and says where it has not looked.
 */
export async function search(
  given: Given,
  { again, clock, local, tableSize }: SearchOptions,
  signal: AbortSignal,
): Promise<Reply> {
  // Checks them; each place makes its own arguments of them.
  argumentsOf(SEARCH, given)
  const { letters, scan, queues } = given
  const q = String(given['q'])
  const ran: CommandAnswer[] = []
  const run: Run = async (...args) => {
    const answered = await again(args, signal)
    ran.push(answered)
    return answered
  }
  let items = q.includes('/') ? itemsIn(await run('show', ...positional(q))) : await byOwner(q, run)
  // Without an item its dead letter says more of it, such as of one that the schema has refused.
  let logged: readonly string[] = []
  if (items.length === 0 && local) {
    const { answer } = await run('explain', ...positional(q))
    const isExplained = listIn(answer, 'explained').length > 0
    if (isExplained || listIn(answer, 'timeline').length > 0) logged = [q]
    if (isExplained) items = logged
  }
  // Without the table nothing is known: that nothing was found would be a wrong answer.
  const failed = ran.find(({ exit }) => exit === 3)
  if (failed !== undefined) return replyOf(failed)
  let dead: readonly unknown[] = []
  const notSearched: NotSearched[] = []
  if (items.length === 0 && !local && letters !== '1') notSearched.push(NOT_DEAD_LETTERS)
  else if (items.length === 0) {
    const prefix = typeof queues === 'string' ? [`--queues=${queues}`] : []
    const peeked = await run('dlq', 'peek', `--id=${q}`, '--most=10', ...prefix)
    dead = listIn(peeked.answer, 'letters')
    if (peeked.exit === 3) notSearched.push({ place: 'dead letters', why: errorIn(peeked) })
    if (dead.length === 0) items = logged
  }
  if (items.length + dead.length === 0 && scan !== '1') {
    notSearched.push(await notScanned(tableSize))
  } else if (items.length + dead.length === 0) {
    const scanned = await run('show', '--scan', ...positional(q))
    if (scanned.exit === 3) return replyOf(scanned)
    items = itemsIn(scanned)
  }
  if (items.length + dead.length === 0) notSearched.push(NOT_CALLER_KEYS)
  const [version, at, cost] = [JSON_VERSION, isoTime(clock.now()), sum(ran)]
  const found = { items, letters: dead }
  return { status: 200, body: { version, at, q, cost, found, notSearched } }
}

type Run = (...args: readonly string[]) => Promise<CommandAnswer>

function positional(q: string): readonly string[] {
  return q.startsWith('-') ? ['--', q] : [q]
}

/** A bare id under each consumer, flow or scope that has something open. */
async function byOwner(q: string, run: Run): Promise<readonly string[]> {
  const { answer } = await run('stats')
  const owners = new Set(listIn(answer, 'counts').flatMap((each) => textIn(each, 'of')))
  const found: string[] = []
  for (const owner of [...owners].slice(0, MOST_OWNERS)) {
    found.push(...itemsIn(await run('show', ...positional(`${owner}/${q}`))))
  }
  return found
}

function itemsIn({ exit, answer }: CommandAnswer): readonly string[] {
  const pks = exit === 0 ? listIn(answer, 'items').flatMap((each) => textIn(each, 'pk')) : []
  return [...new Set(pks)]
}

function errorIn({ answer: { error } }: CommandAnswer): string {
  return String(isObject(error) ? error['message'] : error)
}

function listIn(answer: Given, name: string): readonly unknown[] {
  return Array.isArray(answer[name]) ? (answer[name] as unknown[]) : []
}

function textIn(value: unknown, name: string): readonly string[] {
  const text = isObject(value) ? value[name] : undefined
  return typeof text === 'string' ? [text] : []
}

const NOT_DEAD_LETTERS: NotSearched = {
  place: 'dead letters',
  why: 'looking receives the messages of every dead-letter queue: a request to SQS for each ten of them, and it hides them meanwhile',
  ask: 'letters',
}
const NOT_CALLER_KEYS: NotSearched = {
  place: 'key of a caller',
  why: 'a key that a caller has sent is stored by its hash under the scope of its function: search for SCOPE/KEY, or, if callers have keys of their own, type lineclear show --scope SCOPE --key KEY --tenant TENANT',
}

async function notScanned(tableSize: SearchOptions['tableSize']): Promise<NotSearched> {
  const size = await tableSize()
  const why =
    'a bare id, an external id and the id of a message are in no index: it reads the whole table'
  const units = size && { units: Math.ceil(size.bytes / UNIT) }
  return { place: 'whole table', why, ask: 'scan', ...units }
}

/** Bytes that half a read unit reads are 4 KB: a scan is not consistent. */
const UNIT = 8_192

function sum(ran: readonly CommandAnswer[]): Cost {
  const of = (name: keyof Cost): number => ran.reduce((all, { cost }) => all + cost[name], 0)
  return { queries: of('queries'), units: of('units'), receives: of('receives') }
}
