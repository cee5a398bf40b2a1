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
import { flag, id, name, prefix } from '../commands/kinds.ts'

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
    scope: { kind: name, page: true },
    tenant: { kind: name, many: true, page: true },
    queues: { kind: prefix, page: true },
    letters: { kind: flag, page: true },
    scan: { kind: flag, page: true },
  },
}

type Given = Readonly<Record<string, unknown>>

interface Sought {
  readonly q: string
  readonly scope: string | undefined
  readonly tenant: readonly string[]
  /** As options. */
  readonly queues: readonly string[]
  readonly letters: boolean
  readonly scan: boolean
}

/** @throws RequestError */
function readGiven(given: Given): Sought {
  // Checks them; each place makes its own arguments of them.
  argumentsOf(SEARCH, given)
  const { q, scope, tenant = [], queues } = given
  return {
    q: typeof q === 'string' ? q : '',
    scope: typeof scope === 'string' ? scope : undefined,
    tenant: [tenant].flat().filter((each) => typeof each === 'string'),
    queues: typeof queues === 'string' ? [`--queues=${queues}`] : [],
    letters: given['letters'] === '1',
    scan: given['scan'] === '1',
  }
}

/** `GET /api/search` */
export interface SearchAnswer<Letter> {
  readonly q: string
  readonly cost: Cost
  readonly found: readonly Found<Letter>[]
  readonly notSearched: readonly NotSearched[]
}

/** What one command has found under the id. */
export interface Found<Letter = unknown> {
  readonly by: Place
  /** The command that shows it. */
  readonly line: string
  /** `pk` of the items, or the dead letters without their bodies. */
  readonly items?: readonly string[]
  readonly letters?: readonly Letter[]
}

type Place = 'key' | 'caller key' | 'owner' | 'log' | 'dead letters' | 'whole table'

/** Where it was not looked, and what that would cost. */
export interface NotSearched {
  readonly place: Place
  readonly why: string
  /** The parameter that searches there. */
  readonly ask?: 'letters' | 'scan' | 'scope'
  /** Read units of DynamoDB. */
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
  const { q, ...rest } = readGiven(given)
  const found: Found[] = []
  const notSearched: NotSearched[] = []
  const costs: Cost[] = []
  let failed: CommandAnswer | undefined
  const run = async (...args: readonly string[]): Promise<CommandAnswer> => {
    const answered = await again(args, signal)
    costs.push(answered.cost)
    if (answered.exit === 3) failed ??= answered
    return answered
  }
  const shown = (by: Place, { exit, line, answer }: CommandAnswer): boolean => {
    const items = exit === 0 ? pksIn(answer) : []
    if (items.length > 0) found.push({ by, line, items })
    return items.length > 0
  }

  const isWhole = q.includes('/')
  const looks: readonly (() => Promise<boolean>)[] = [
    async () => isWhole && shown('key', await run('show', ...positional(q))),
    async () => byCallerKey(q, rest, run, shown),
    async () => !isWhole && byOwner(q, run, shown),
    async () => local && shownByLog(q, await run('explain', ...positional(q)), found),
  ]
  for (const look of looks) if (await look()) break
  // Without the table nothing is known: that nothing was found would be a wrong answer.
  if (failed !== undefined) return replyOf(failed)
  if (found.length === 0) {
    if (local || rest.letters) {
      const unread = await byDeadLetters(q, rest, run, found)
      if (unread !== undefined) notSearched.push({ place: 'dead letters', why: unread })
    } else notSearched.push(NOT_DEAD_LETTERS)
  }
  if (found.length === 0) {
    if (rest.scan) {
      shown('whole table', await run('show', '--scan', ...positional(q)))
      if (failed !== undefined) return replyOf(failed)
    } else notSearched.push(await notScanned(tableSize))
  }
  if (rest.scope === undefined && found.length === 0) notSearched.push(NOT_CALLER_KEYS)
  return {
    status: 200,
    body: {
      version: JSON_VERSION,
      at: isoTime(clock.now()),
      q,
      cost: sum(costs),
      found,
      notSearched,
    },
  }
}

type Run = (...args: readonly string[]) => Promise<CommandAnswer>
type Show = (by: Place, answered: CommandAnswer) => boolean

function positional(q: string): readonly string[] {
  return q.startsWith('-') ? ['--', q] : [q]
}

/** As its caller has sent it, such as an `Idempotency-Key`: stored by its hash, under its scope. */
async function byCallerKey(
  q: string,
  { scope, tenant }: Omit<Sought, 'q'>,
  run: Run,
  shown: Show,
): Promise<boolean> {
  const slash = q.indexOf('/')
  const parts =
    scope === undefined ? [q.slice(0, Math.max(0, slash)), q.slice(slash + 1)] : [scope, q]
  if (parts.includes('')) return false
  const [of, key] = parts
  const tenants = tenant.map((each) => `--tenant=${each}`)
  return shown('caller key', await run('show', `--scope=${of}`, `--key=${key}`, ...tenants))
}

/** A bare id under each consumer, flow or scope that has something open. */
async function byOwner(q: string, run: Run, shown: Show): Promise<boolean> {
  const { answer } = await run('stats')
  const counts = Array.isArray(answer['counts']) ? (answer['counts'] as unknown[]) : []
  const owners = new Set(counts.flatMap((each) => (isObject(each) ? [String(each['of'])] : [])))
  let any = false
  for (const owner of [...owners].slice(0, MOST_OWNERS)) {
    any = shown('owner', await run('show', ...positional(`${owner}/${q}`))) || any
  }
  return any
}

function shownByLog(q: string, { exit, line, answer }: CommandAnswer, found: Found[]): boolean {
  const explained = Array.isArray(answer['explained']) ? (answer['explained'] as unknown[]) : []
  if (exit !== 0 || explained.length + lengthOf(answer['timeline']) === 0) return false
  found.push({ by: 'log', line, items: [q] })
  return true
}

/** @returns why it could not be looked at */
async function byDeadLetters(
  q: string,
  { queues }: Omit<Sought, 'q'>,
  run: Run,
  found: Found[],
): Promise<string | undefined> {
  const { exit, line, answer } = await run('dlq', 'peek', `--id=${q}`, '--most=10', ...queues)
  const letters = Array.isArray(answer['letters']) ? (answer['letters'] as unknown[]) : []
  if (letters.length > 0) found.push({ by: 'dead letters', line, letters })
  const { error } = answer
  return exit === 3 ? String(isObject(error) ? error['message'] : error) : undefined
}

const NOT_DEAD_LETTERS: NotSearched = {
  place: 'dead letters',
  why: 'looking receives the messages of every dead-letter queue: a request to SQS for each ten of them, and it hides them meanwhile',
  ask: 'letters',
}
const NOT_CALLER_KEYS: NotSearched = {
  place: 'caller key',
  why: 'a key that a caller has sent is stored by its hash under the scope of its function: give the scope, and the tenant if callers have their own',
  ask: 'scope',
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

function pksIn({ items }: Given): readonly string[] {
  if (!Array.isArray(items)) return []
  const pks = (items as unknown[]).map((each) => (isObject(each) ? String(each['pk']) : ''))
  return [...new Set(pks)]
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

function sum(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (total, each) => ({
      queries: total.queries + each.queries,
      units: total.units + each.units,
      receives: total.receives + each.receives,
    }),
    { queries: 0, units: 0, receives: 0 },
  )
}
