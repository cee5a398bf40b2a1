import type { Clock } from '../../library/base/clock.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { isoTime } from '../../library/base/time.ts'
import { plan as planKind, words } from '../commands/kinds.ts'
import type { Row } from '../commands/row.ts'
import {
  type Again,
  type CommandAnswer,
  type JsonObject,
  type Reply,
  replyAt,
  replyOf,
  RequestError,
  type Session,
} from './reply.ts'
import { argumentsOf, optionsBefore } from './form.ts'

export interface ConsoleChanges {
  plan(body: JsonObject, signal: AbortSignal): Promise<Reply>
  apply(body: JsonObject): Promise<Reply>
  /** Ends a change that this process makes at its next safe point. */
  stop(body: JsonObject): Promise<Reply>
  /** What this process knows of a plan that it applies, or has applied; undefined: nothing. */
  progressOf(plan: string): Progress | undefined
}

/** A change that runs behind its answer, or has ended. */
type Progress =
  | { readonly running: true; readonly stopping: boolean }
  | { readonly running: false; readonly endedAt: string; readonly body: Reply['body'] }

export interface ChangeOptions {
  /** The table of commands: those with a route are looked at, those that change something are planned and applied. */
  readonly commands: readonly Row[]
  readonly again: Again
  /** As `again`, for what changes nothing: it waits for its turn. */
  readonly look: Again
  readonly session: () => Promise<Session>
  readonly clock: Clock
  /** Ends what runs at its next safe point. */
  readonly stopped: AbortSignal
  /** For how long the end of a long change is waited for, milliseconds. Default: 500. */
  readonly patience?: number | undefined
}

/** How many ended changes are kept, because a page asks again after a reload. */
const KEPT = 100
/** Changes that run at once: each of them holds its own pages of dead letters. */
const MOST = 8

export function openChanges({
  commands,
  again,
  look,
  session,
  clock,
  stopped,
  patience = 500,
}: ChangeOptions): ConsoleChanges {
  const actions = actionsOf(commands)
  const running = new Map<string, AbortController>()
  const ended = new Map<string, Progress>()

  async function run(key: string, args: readonly string[]): Promise<CommandAnswer> {
    if (running.has(key)) throw new RequestError(409, `${key} is being applied at the moment`)
    if (running.size >= MOST) {
      throw new RequestError(503, `${MOST} changes are being applied: wait for one of them`)
    }
    const stop = new AbortController()
    running.set(key, stop)
    try {
      const answered = await again(args, AbortSignal.any([stopped, stop.signal]))
      keep(key, { running: false, endedAt: isoTime(clock.now()), body: replyOf(answered).body })
      return answered
    } finally {
      running.delete(key)
    }
  }

  function keep(key: string, progress: Progress): void {
    ended.delete(key)
    ended.set(key, progress)
    const [oldest] = ended.keys()
    if (ended.size > KEPT && oldest !== undefined) ended.delete(oldest)
  }

  return {
    async plan(body, signal) {
      const { action, given, force } = readChange(body, ['action', 'given', 'force'], actions)
      const args = argumentsOf(action, given)
      return replyOf(await look(optionsBefore(args, force ? ['--force'] : []), signal))
    },
    async apply(body) {
      const { name, action, given, force } = readChange(body, APPLIED, actions)
      const why = readConsent(body, await session())
      const plan = readPlan(body, action)
      const key = plan ?? name
      const options = [
        plan === undefined ? '--apply' : `--apply=${plan}`,
        ...(why === undefined ? [] : [`--why=${why}`]),
        ...(force ? ['--force'] : []),
      ]
      const work = run(key, optionsBefore(argumentsOf(action, given), options))
      if (!isLong(action, given)) return replyOf(await work)
      const first = await within(work, patience)
      if (first !== undefined) return replyOf(first)
      return replyAt(clock, { action: name, plan: key, running: true }, 202)
    },
    async stop(body) {
      const plan = readStop(body)
      const stop = running.get(plan)
      if (stop === undefined) throw new RequestError(404, notHere(plan))
      stop.abort()
      return replyAt(clock, { plan, running: true, stopping: true }, 202)
    },
    progressOf: (plan) => {
      const stop = running.get(plan)
      return stop === undefined ? ended.get(plan) : { running: true, stopping: stop.signal.aborted }
    },
  }
}

function isLong({ long }: Row, given: JsonObject): boolean {
  return typeof long === 'function' ? long(given) : long === true
}

/** The name of a plan, or of a change without one. */
function readStop(body: JsonObject): string {
  const { plan, ...others } = body
  if (typeof plan === 'string' && Object.keys(others).length === 0) return plan
  throw new RequestError(400, 'expected plan only, the name of what is being applied')
}

function notHere(plan: string): string {
  return `${plan} is not being applied by this console. Where its command runs, Ctrl-C ends it; it goes on later`
}

/** Everything that the console can change, by its words: `dlq.redrive`. No other command can be run with `--apply`. */
export function actionsOf(commands: readonly Row[]): ReadonlyMap<string, Row> {
  const changes = commands.filter((each) => each.changes !== undefined)
  return new Map(changes.map((each) => [each.words.replaceAll(' ', '.'), each]))
}

const APPLIED = ['action', 'given', 'force', 'plan', 'why', 'confirm'] as const

interface Change {
  readonly name: string
  readonly action: Row
  readonly given: JsonObject
  readonly force: boolean
}

function readChange(
  body: JsonObject,
  known: readonly string[],
  actions: ReadonlyMap<string, Row>,
): Change {
  const unknown = Object.keys(body).find((each) => !known.includes(each))
  if (unknown !== undefined) throw new RequestError(400, `expected ${known.join(', ')} only`)
  const { action: name, given = {}, force = false } = body
  const action = typeof name === 'string' ? actions.get(name) : undefined
  if (typeof name !== 'string' || action === undefined) {
    throw new RequestError(400, `action: expected one of ${[...actions.keys()].join(', ')}`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new RequestError(400, 'given: expected an object')
  }
  if (typeof force !== 'boolean') throw new RequestError(400, 'force: expected true or false')
  return { name, action, given: given as JsonObject, force }
}

/**
 * In an account a change needs the name of its table, typed by a person, and a reason.
 * @returns the reason
 */
function readConsent({ why, confirm }: JsonObject, { local, table }: Session): string | undefined {
  if (!local && confirm !== table) {
    throw new RequestError(400, 'confirm: expected the name of the table. Nothing was changed')
  }
  const reason = typeof why === 'string' ? why.trim() : why
  if (reason === undefined || reason === '') {
    if (local) return undefined
    throw new RequestError(400, 'why: expected a reason. Nothing was changed')
  }
  const expected = typeof reason === 'string' ? words.page(reason) : 'a text'
  if (typeof reason === 'string' && expected === undefined) return reason
  throw new RequestError(400, `why: expected ${expected}. Nothing was changed`)
}

function readPlan({ plan }: JsonObject, { changes }: Row): string | undefined {
  if (changes !== 'plan') {
    if (plan === undefined) return undefined
    throw new RequestError(400, 'plan: this action has none. Nothing was changed')
  }
  if (typeof plan === 'string' && planKind.page(plan) === undefined) return plan
  throw new RequestError(
    400,
    'plan: expected the name of the plan that was shown. Nothing was changed',
  )
}

/** @returns undefined: it runs on */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  // Without this a failure after the answer would be an unhandled rejection, which ends the process.
  work.catch(() => {})
  return Promise.race([work, sleep(milliseconds, undefined, { ref: false })])
}
