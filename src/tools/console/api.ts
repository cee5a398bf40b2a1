import type { Clock } from '../../base/clock.ts'
import { isoTime } from '../../base/time.ts'
import { isObject } from '../../base/kindOf.ts'
import { accountMap } from './accountMap.ts'
import type { Again } from './again.ts'
import { type Changes, openChanges } from './change.ts'
import { argumentsOf } from './form.ts'
import { fold } from './fold.ts'
import { withoutValues } from './hide.ts'
import type { OwnRoutes } from './ownRoutes.ts'
import { type Redact, redactor } from './redact.ts'
import { JSON_VERSION, type Reply, replyOf } from './reply.ts'
import { RequestError } from './requestError.ts'
import { ROUTES } from './routes.ts'
import { search, type TableSize } from './search.ts'
import type { Session } from './session.ts'
import { turns } from './turns.ts'

/** What the routes work with. */
export interface ApiOptions {
  readonly again: Again
  readonly session: () => Promise<Session>
  readonly clock: Clock
  /** For what a search of the whole table costs. Default: not known. */
  readonly tableSize?: (() => Promise<TableSize | undefined>) | undefined
  /** Only dead-letter queues whose names begin so are looked at, unless a page names others. */
  readonly queues?: string | undefined
  /** Paths into payloads that are never shown. */
  readonly redact?: readonly string[] | undefined
  /** Whether changes can be planned and applied; otherwise these routes do not exist. */
  readonly canChange: boolean
  /** The map of a registry or a template. Default: what live events show; without those, what the table shows. */
  readonly map?: (() => Promise<object>) | undefined
  readonly own?: OwnRoutes | undefined
  /** For how long the end of a long change is waited for, milliseconds. Default: 500. */
  readonly patience?: number | undefined
}

/** A request that the guard has let in. */
interface Call {
  readonly query: URLSearchParams
  /** Reads it when it is called. */
  readonly body: () => Promise<Readonly<Record<string, unknown>>>
  /** The page has gone away, or the server stops. */
  readonly signal: AbortSignal
}

export interface Route {
  readonly method: 'GET' | 'POST'
  answer(call: Call): Promise<Reply>
}

/** Commands that run at once. More would share the same two dozen connections. */
const AT_ONCE = 6
const WAITING = 64

/** The routes by their names behind `/api/`. */
export function routesOf(options: ApiOptions, stopped: AbortSignal): ReadonlyMap<string, Route> {
  const { session, clock, map, own = {}, tableSize = async () => undefined } = options
  const redact = redactor(options.redact ?? [])
  const again = inTurns(options.again)
  const changes = options.canChange ? openChanges({ ...options, look: again, stopped }) : undefined
  const routes = new Map<string, Route>()
  const add = (method: Route['method'], name: string, answer: Route['answer']): void => {
    routes.set(name, { method, answer: async (call) => shown(await answer(call), redact) })
  }
  const at = (found: object): Reply => ({
    status: 200,
    body: { version: JSON_VERSION, at: isoTime(clock.now()), ...found },
  })

  add('GET', 'session', async () => at({ session: await session() }))
  for (const [name, form] of Object.entries(ROUTES)) {
    add('GET', name, async ({ query, signal }) => {
      const given = fieldsOf(name, query, options.queues)
      const reply = replyOf(await again(argumentsOf(form, given), signal))
      if (name === 'operation') return withProgress(reply, given, changes)
      return name === 'item' && given['body'] !== '1' ? withoutValues(reply) : reply
    })
  }
  add('GET', 'search', async ({ query, signal }) => {
    const { local } = await session()
    const given = fieldsOf('search', query, options.queues)
    return search(given, { again, clock, local, tableSize }, signal)
  })
  add('GET', 'map', async ({ signal }) =>
    map === undefined ? accountMap(again, signal) : at(await map()),
  )
  for (const [name, answer] of Object.entries(own.get ?? {})) {
    add('GET', name, async ({ query }) => at(await answer(query)))
  }
  for (const [name, answer] of Object.entries(own.post ?? {})) {
    add('POST', name, async ({ body }) => at(await answer(await body())))
  }
  if (changes !== undefined) {
    add('POST', 'plan', async ({ body, signal }) => changes.plan(await body(), signal))
    add('POST', 'apply', async ({ body }) => changes.apply(await body()))
  }
  return routes
}

/** What is large is folded last: a path of `redact` leads into the whole. */
function shown({ status, body }: Reply, redact: Redact): Reply {
  const folded = fold(redact(body))
  return { status, body: isObject(folded) ? folded : {} }
}

/** Commands that receive dead letters hide them from each other, and each would see only some. */
function inTurns(again: Again): Again {
  const all = turns(AT_ONCE, WAITING)
  const receiving = turns(1, WAITING)
  return async (args, signal = NEVER) => {
    const [name] = args
    const run = async (): ReturnType<Again> => all.take(() => again(args, signal), signal)
    return name === 'status' || name === 'dlq' ? receiving.take(run, signal) : run()
  }
}

const NEVER = new AbortController().signal

/** Routes that look at all dead-letter queues, unless a page names one or a prefix. */
const ON_QUEUES: ReadonlySet<string> = new Set([
  'overview',
  'queues',
  'groups',
  'letters',
  'search',
])

/** A parameter that comes more than once is a list. */
function fieldsOf(
  route: string,
  query: URLSearchParams,
  queues: string | undefined,
): Readonly<Record<string, unknown>> {
  const given = [...new Set(query.keys())].map((name) => {
    const [first, ...more] = query.getAll(name)
    return [name, more.length === 0 ? first : [first, ...more]] as const
  })
  const isNamed = query.has('queue') || query.has('queues') || query.has('noQueues')
  const prefix = queues !== undefined && ON_QUEUES.has(route) && !isNamed ? { queues } : {}
  if (route === 'letters' && query.get('body') === '1' && !query.has('id')) {
    throw new RequestError(400, 'body: bodies are shown one at a time: expected id')
  }
  return { ...prefix, ...Object.fromEntries(given) }
}

/** `here`: what this process knows of the plan, since the row in the table has no reason for a failure. */
function withProgress(
  reply: Reply,
  { plan }: Readonly<Record<string, unknown>>,
  changes: Changes | undefined,
): Reply {
  const here = typeof plan === 'string' ? changes?.progressOf(plan) : undefined
  return { ...reply, body: { ...reply.body, here } }
}
