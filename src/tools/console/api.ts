import { isObject } from '../../library/base/kindOf.ts'
import type { Row } from '../commands/row.ts'
import {
  type Again,
  type JsonObject,
  type Reply,
  replyAt,
  replyOf,
  RequestError,
  type Session,
} from './reply.ts'
import { type ChangeOptions, type ConsoleChanges, openChanges } from './change.ts'
import { argumentsOf, optionsBefore, questionsOf } from './form.ts'
import { fold, type Redact, redactor } from './hide.ts'
import { search } from './search.ts'
import { turns } from './limits.ts'

export interface ApiOptions extends Omit<ChangeOptions, 'look' | 'stopped'> {
  /** For what a search of the whole table costs. Default: not known. */
  readonly tableSize?: (() => Promise<number | undefined>) | undefined
  /** Only dead-letter queues whose names begin so are looked at, unless a page names others. */
  readonly queues?: string | undefined
  /** Paths into payloads that are never shown. */
  readonly redact?: readonly string[] | undefined
  /** Whether changes can be planned and applied; otherwise these routes do not exist. */
  readonly canChange: boolean
  /** Default: what live events show; without those the route does not exist. */
  readonly map?: (() => object) | undefined
  readonly own?: OwnRoutes | undefined
}

interface Call {
  readonly query: URLSearchParams
  readonly body: () => Promise<JsonObject>
  /** The page has gone away, or the server stops. */
  readonly signal: AbortSignal
}

export interface ApiRoute {
  readonly method: 'GET' | 'POST'
  answer(call: Call): Promise<Reply>
}

/** Commands that run at once. More would share the same two dozen connections. */
const AT_ONCE = 6

export function routesOf(options: ApiOptions, stopped: AbortSignal): ReadonlyMap<string, ApiRoute> {
  const { session, clock, map, own = {}, tableSize = async () => undefined } = options
  const redact = redactor(options.redact ?? [])
  const again = inTurns(options.again, options.commands)
  const changes = options.canChange ? openChanges({ ...options, look: again, stopped }) : undefined
  const routes = new Map<string, ApiRoute>()
  const add = (method: ApiRoute['method'], name: string, answer: ApiRoute['answer']): void => {
    routes.set(name, { method, answer: async (call) => shown(await answer(call), redact) })
  }
  const at = (found: object): Reply => replyAt(clock, found)

  add('GET', 'session', async () =>
    at({ session: await session(), questions: questionsOf(options.commands) }),
  )
  for (const row of options.commands) {
    const { route } = row
    if (route === undefined) continue
    add('GET', route, async ({ query, signal }) => {
      const fields = fieldsOf(query, 'queues' in row.options ? options.queues : undefined)
      if (route === 'letters') refuseBodies(fields)
      if (route === 'doctor') refuseFiles(fields, await session())
      refuseHidden(fields, options.redact ?? [])
      // A look at what a command changes is a plan of it: another route.
      const form = row.changes === undefined ? row : { ...row, options: {} }
      const { per, queue } = fields
      // Counts messages by an attribute, also on a queue that is no dead-letter queue: the command demands `--force` for that.
      const isForced = route === 'groups' && per !== undefined && queue !== undefined
      const force = isForced ? ['--force'] : []
      const reply = replyOf(await again(optionsBefore(argumentsOf(form, fields), force), signal))
      return fields['plan'] === undefined ? reply : withProgress(reply, fields, changes)
    })
  }
  add('GET', 'search', async ({ query, signal }) => {
    const { local } = await session()
    const given = fieldsOf(query, options.queues)
    return search(given, { again, clock, local, tableSize }, signal)
  })
  if (map !== undefined) add('GET', 'map', async () => at(map()))
  for (const [name, answer] of Object.entries(own.get ?? {})) {
    add('GET', name, async ({ query }) => at(await answer(query)))
  }
  for (const [name, answer] of Object.entries(own.post ?? {})) {
    add('POST', name, async ({ body }) => at(await answer(await body())))
  }
  if (changes !== undefined) {
    add('POST', 'plan', async ({ body, signal }) => changes.plan(await body(), signal))
    add('POST', 'apply', async ({ body }) => changes.apply(await body()))
    add('POST', 'stop', async ({ body }) => changes.stop(await body()))
  }
  return routes
}

/** What is large is folded last: a path of `redact` leads into the whole. */
function shown({ status, body }: Reply, redact: Redact): Reply {
  const folded = fold(redact(body))
  return { status, body: isObject(folded) ? folded : {} }
}

/** Commands that receive dead letters hide them from each other, and each would see only some. */
function inTurns(again: Again, commands: readonly Row[]): Again {
  const all = turns(AT_ONCE)
  const receiving = turns(1)
  return async (args, signal = NEVER) => {
    const typed = `${args.join(' ')} `
    const row = commands.find(({ words }) => typed.startsWith(`${words} `))
    const run = async (): ReturnType<Again> => all(() => again(args, signal), signal)
    return row?.receives === true && !args.some(isReadOnly) ? receiving(run, signal) : run()
  }
}

/** Another form of a command that receives dead letters, which receives none. */
function isReadOnly(word: string): boolean {
  return word === '--counts' || word.startsWith('--plan=')
}

const NEVER = new AbortController().signal

/** A parameter that comes more than once is a list. */
function fieldsOf(query: URLSearchParams, queues: string | undefined): JsonObject {
  const given = [...new Set(query.keys())].map((name) => {
    const [first, ...more] = query.getAll(name)
    return [name, more.length === 0 ? first : [first, ...more]] as const
  })
  const isNamed = ['queue', 'queues', 'noQueues', 'plan'].some((name) => query.has(name))
  const prefix = queues !== undefined && !isNamed ? { queues } : {}
  return { ...prefix, ...Object.fromEntries(given) }
}

/** Groups by an attribute have its values as their names. */
function refuseHidden({ per }: JsonObject, redact: readonly string[]): void {
  const hidden = redact.find((each) => [per].flat().some((name) => each === `@${String(name)}`))
  if (hidden === undefined) return
  throw new RequestError(403, `per: ${hidden} is hidden by --redact`)
}

function refuseBodies({ body, id }: JsonObject): void {
  if (body !== '1' || id !== undefined) return
  throw new RequestError(400, 'body: bodies are shown one at a time: expected id')
}

/** Refuses any other file: the answer would show whether it exists on this machine. */
function refuseFiles({ template }: JsonObject, known: Session): void {
  if (template === undefined || template === known.template) return
  throw new RequestError(
    400,
    `template: expected ${known.template ?? 'none'}: type lineclear doctor`,
  )
}

/** `here`: what this process knows of the plan, since the row in the table has no reason for a failure. */
function withProgress(
  reply: Reply,
  { plan }: JsonObject,
  changes: ConsoleChanges | undefined,
): Reply {
  const here = typeof plan === 'string' ? changes?.progressOf(plan) : undefined
  return { ...reply, body: { ...reply.body, here } }
}

/**
 * Routes without a command, such as those of `lineclear dev`: by their names behind `/api/`. What they resolve to is sent
 * as JSON; a `RequestError` is said to the page.
 */
export interface OwnRoutes {
  readonly get?: Readonly<Record<string, (query: URLSearchParams) => Promise<object>>>
  readonly post?: Readonly<Record<string, (body: JsonObject) => Promise<object>>>
}
