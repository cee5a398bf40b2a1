import { RECORDED_MS, ttlAt } from '../../../base/limits/lifetime.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../../protocol/claim/statusIndex.ts'
import { isoTime } from '../../../base/time.ts'
import type { Condition, Item, StoreKey, Update } from '../../../protocol/store/store.ts'

/**
 * The row of a paused mapping says what the mapping is to be, so that any operator or sweeper that reads it can finish the work:
 * `pausing` and `paused` disabled, `resuming` enabled. `resumed` is a tombstone.
 */
type PauseState = 'pausing' | 'paused' | 'resuming'

/** A pause that has not ended. Times are epoch milliseconds. */
export interface Pause {
  /** Identifies this pause of the mapping: every write is conditional on it. */
  readonly id: string
  readonly mapping: string
  readonly state: PauseState
  /** ARN of the queue. */
  readonly queue: string
  /** ARN of the function. */
  readonly function: string
  readonly names: PausedNames
  readonly by: string
  readonly why: string
  readonly since: number
  /** undefined: until an operator resumes it. */
  readonly until: number | undefined
}

/** From the tags of the function; undefined: it has no such tag, or it could not be read. */
export interface PausedNames {
  /** A stage is named `FLOW.STAGE`. */
  readonly consumer?: string | undefined
  readonly flow?: string | undefined
  /** Separated by spaces. */
  readonly dependency?: string | undefined
}

/** One partition, so that one query reads all pauses. */
const PAUSES = 'pauses'
/**
 * The tombstone tells who has resumed it, and keeps an old plan from being applied again: as long as its row in the audit, from which
 * it could be typed.
 */
const KEPT = RECORDED_MS
/** A pause without an end is in the index too, behind all others. The last time that a `Date` can hold. */
const NEVER = 8_640_000_000_000_000
const LONGEST = 1_000
/** All pauses have one partition key, so they are in one shard of the index. */
export const PAUSE_SHARD: string = indexed(PAUSES, 'paused', 0).statusShard

export function pauseKey(mapping: string): StoreKey {
  return { pk: PAUSES, sk: mapping }
}

export function writePause(pause: Pause): Item & StoreKey {
  const { mapping, state, id, queue, by, why, since, until, names } = pause
  const given = Object.entries(names).filter(
    (each): each is [string, string] => each[1] !== undefined,
  )
  return {
    ...pauseKey(mapping),
    st: state,
    id,
    queue,
    function: pause.function,
    by,
    why: why.slice(0, LONGEST),
    created: isoTime(since),
    ...(until === undefined ? {} : { until }),
    ...Object.fromEntries(given),
    ...indexed(PAUSES, 'paused', until ?? NEVER),
  }
}

/** @param seen the pause that it replaces; undefined: there was none, or it had ended */
export function replacePause(pause: Pause, seen: Pause | undefined): Update {
  const { pk: _pk, sk: _sk, ...set } = writePause(pause)
  const absent = ['until', 'consumer', 'flow', 'dependency'].filter((name) => !(name in set))
  return {
    key: pauseKey(pause.mapping),
    where: seen === undefined ? [is('st', 'resumed')] : isSame(seen),
    set: set as NonNullable<Update['set']>,
    remove: [...absent, 'ttl', 'resumedBy', 'actualCompletion'],
  }
}

/** The mapping is disabled. */
export function confirmPause(pause: Pause): Update {
  return { key: pauseKey(pause.mapping), where: isSame(pause), set: { st: 'paused' } }
}

/** Written before the mapping is enabled: after a kill the sweeper, or the same command, goes on with it. */
export function beginResume(pause: Pause, now: number): Update {
  return { key: pauseKey(pause.mapping), where: isSame(pause), set: { st: 'resuming', dueAt: now } }
}

/** The mapping is enabled, or gone, or was never disabled. */
export function endPause(pause: Pause, by: string, now: number): Update {
  return {
    key: pauseKey(pause.mapping),
    where: isSame(pause),
    set: {
      st: 'resumed',
      resumedBy: by,
      actualCompletion: isoTime(now),
      ttl: ttlAt(now + KEPT),
    },
    remove: INDEX_ATTRIBUTES,
  }
}

/** @returns undefined for a pause that has ended, and for an item that this version cannot read */
export function readPause(item: Item | undefined): Pause | undefined {
  const { pk, sk, st, id, queue, by, why, created, until } = item ?? {}
  const { function: handler, consumer, flow, dependency } = item ?? {}
  if (pk !== PAUSES || typeof sk !== 'string' || !isState(st) || typeof id !== 'string') return
  if (typeof queue !== 'string' || typeof handler !== 'string') return
  if (typeof by !== 'string' || typeof why !== 'string' || typeof created !== 'string') return
  if (until !== undefined && typeof until !== 'number') return
  const names = { consumer: text(consumer), flow: text(flow), dependency: text(dependency) }
  const place = { id, mapping: sk, state: st, queue, function: handler, names }
  return { ...place, by, why, since: Date.parse(created), until }
}

/** Identifies the last pause of a mapping, also one that has ended. */
export function lastPauseId(item: Item | undefined): string | undefined {
  return text(item?.['id'])
}

function isState(value: unknown): value is PauseState {
  return value === 'pausing' || value === 'paused' || value === 'resuming'
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isSame({ id, state }: Pause): readonly Condition[] {
  return [is('id', id), is('st', state)]
}

function is(field: string, value: string): Condition {
  return { field, is: '=', value }
}

/** What an operator knows a mapping by: the names of its tags, or its function without tags; then its queue. */
export function subjectOf(of: {
  readonly names: PausedNames
  readonly function: string
  readonly queue: string
}): string {
  const { consumer, flow } = of.names
  const named = consumer ?? (flow === undefined ? functionName(of.function) : `flow ${flow}`)
  return `${named} (queue ${queueName(of.queue)})`
}

/** The function, the queue and the UUID of a mapping: `lineclear explain ID --history` finds its rows by each of them. */
export function auditId(of: {
  readonly mapping: string
  readonly function: string
  readonly queue: string
}): string {
  return `${functionName(of.function)} ${queueName(of.queue)} ${of.mapping}`
}

function functionName(arn: string): string {
  const [, , , , , , name = arn] = arn.split(':')
  return name
}

export function queueName(arn: string): string {
  return arn.split(':').at(-1) ?? ''
}
