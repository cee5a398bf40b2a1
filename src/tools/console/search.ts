import type { Clock } from '../../library/base/clock.ts'
import { isObject } from '../../library/base/kindOf.ts'
import {
  type Again,
  type CommandAnswer,
  type AnswerCost,
  type JsonObject,
  type Reply,
  replyAt,
  replyOf,
} from './reply.ts'
import { argumentsOf, type CommandForm } from './form.ts'
import { flag, id, prefix } from '../commands/kinds.ts'

interface SearchOptions {
  readonly again: Again
  readonly clock: Clock
  readonly local: boolean
  /** Bytes, which DynamoDB counts every six hours. undefined: it could not be asked. */
  readonly tableSize: () => Promise<number | undefined>
}

/** Parameters of the route: `letters` and `scan` are what costs something in an account, and is only done when asked for. */
const SEARCH: CommandForm = {
  words: 'search',
  arguments: {},
  options: {
    q: { kind: id, required: true, page: true },
    queues: { kind: prefix, page: true },
    letters: { kind: flag, page: true },
    scan: { kind: flag, page: true },
  },
}

/** `GET /api/search` */
export interface SearchAnswer<Letter> {
  readonly q: string
  readonly cost: AnswerCost
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

/** Consumers, flows and names of keys under which a bare id is looked up: each costs a handful of queries. */
const MOST_OWNERS = 20

/**
 * Finds an id by what the commands can find: a request, a flow's key, a key that a caller has sent, an external id, the id of an
 * SQS message. It ends with the first place that has it, the cheapest first, and says where it has not looked.
 */
export async function search(
  given: JsonObject,
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
  const notSearched: NotSearched[] = []
  const reply = (items: readonly string[], dead: readonly unknown[] = []): Reply => {
    if (items.length + dead.length === 0) notSearched.push(NOT_CALLER_KEYS)
    return replyAt(clock, { q, cost: sum(ran), found: { items, letters: dead }, notSearched })
  }
  const stored = q.includes('/')
    ? itemsIn(await run('explain', '--items', ...positional(q)))
    : await byOwner(q, run)
  const log = stored.length === 0 && local ? await run('explain', ...positional(q)) : undefined
  // Without the table nothing is known: that nothing was found would be a wrong answer.
  const failed = ran.find(({ exit }) => exit === 3)
  if (failed !== undefined) return replyOf(failed)
  if (stored.length > 0) return reply(stored)
  if (listIn(log?.answer, 'explained').length > 0) return reply([q])
  if (!local && letters !== '1') notSearched.push(NOT_DEAD_LETTERS)
  else {
    const prefix = typeof queues === 'string' ? [`--queues=${queues}`] : []
    const peeked = await run('dlq', 'peek', `--id=${q}`, '--most=10', ...prefix)
    const dead = listIn(peeked.answer, 'letters')
    const { error } = peeked.answer
    const why = String(isObject(error) ? error['message'] : error)
    if (peeked.exit === 3) notSearched.push({ place: 'dead letters', why })
    if (dead.length > 0) return reply([], dead)
  }
  // Behind its dead letter, which says more of it, such as of one that the schema has refused.
  if (listIn(log?.answer, 'timeline').length > 0) return reply([q])
  if (scan !== '1') {
    notSearched.push(await notScanned(tableSize))
    return reply([])
  }
  const scanned = await run('explain', '--items', '--scan', ...positional(q))
  return scanned.exit === 3 ? replyOf(scanned) : reply(itemsIn(scanned))
}

type Run = (...args: readonly string[]) => Promise<CommandAnswer>

function positional(q: string): readonly string[] {
  return q.startsWith('-') ? ['--', q] : [q]
}

/** A bare id under each consumer, flow or name of a key that has something open. */
async function byOwner(q: string, run: Run): Promise<readonly string[]> {
  const { answer } = await run('ls', '--count')
  const owners = new Set(listIn(answer, 'counts').flatMap((each) => textIn(each, 'of')))
  const found: string[] = []
  for (const owner of [...owners].slice(0, MOST_OWNERS)) {
    found.push(...itemsIn(await run('explain', '--items', ...positional(`${owner}/${q}`))))
  }
  return found
}

function itemsIn({ exit, answer }: CommandAnswer): readonly string[] {
  const pks = exit === 0 ? listIn(answer, 'items').flatMap((each) => textIn(each, 'pk')) : []
  return [...new Set(pks)]
}

function listIn(answer: JsonObject | undefined, name: string): readonly unknown[] {
  const list = answer?.[name]
  return Array.isArray(list) ? (list as unknown[]) : []
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
  why: 'a key that a caller has sent is stored by its hash under the name of its function: search for NAME/KEY, or, if callers have keys of their own, type lineclear explain --name NAME --key KEY --tenant TENANT',
}

async function notScanned(tableSize: SearchOptions['tableSize']): Promise<NotSearched> {
  const bytes = await tableSize()
  const why =
    'a bare id, an external id and the id of a message are in no index: it reads the whole table'
  const units = bytes === undefined ? undefined : { units: Math.ceil(bytes / UNIT) }
  return { place: 'whole table', why, ask: 'scan', ...units }
}

/** Bytes that half a read unit reads are 4 KB: a scan is not consistent. */
const UNIT = 8_192

function sum(ran: readonly CommandAnswer[]): AnswerCost {
  const of = (name: keyof AnswerCost): number => ran.reduce((all, { cost }) => all + cost[name], 0)
  return { queries: of('queries'), units: of('units'), receives: of('receives') }
}
