import { ttlAt } from '../../base/limits/lifetime.ts'
import { saveDeadRun, stagesAsWritten } from '../../claim/stage/deadRun.ts'
import { type EndOptions, endRun, type RunEnding } from '../../claim/stage/endRun.ts'
import { isAtEnd, leaseOf, type StageEntry, writeEntry } from '../../claim/stage/stageEntry.ts'
import {
  endingAttributes,
  type EndKind,
  type EndingKind,
  type FencedRun,
  sameFence,
  sameRun,
  STAGE,
  type StageRecord,
  type StageRun,
  IN_SQL,
} from '../../claim/stage/stageRecord.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../claim/statusIndex.ts'
import type { Upsert } from '../../claim/itemStore.ts'
import type { Condition, Update } from '../../store/store.ts'
import { stableId } from '../../base/ids.ts'
import { isObject } from '../../base/kindOf.ts'
import type { UndoStage } from '../../consumer/undo.ts'

type EndingDecision =
  /** No run has the key, or it cannot be undone. */
  | { readonly kind: 'keep' }
  /** Fences all attempts. Then the record is read consistently, and the decision is made again. */
  | { readonly kind: 'fence'; readonly update: Update }
  /** Keeps the marks as they are now, then frees the key. */
  | { readonly kind: 'end'; readonly ending: RunEnding }

/**
 * The end of a run whose effects are to be undone: fence, consistent read, keep the marks, reset. It may stop after any of these
 * writes: the attempt or sweeper that finds `ending` continues from there. The one that fences says how the run ends (`as`); the others read it from the record.
 */
export function decideEnding(
  record: StageRecord,
  as: EndingKind,
  closing: EndOptions,
): EndingDecision {
  const { run } = record
  if (run?.undoPlan === undefined) return { kind: 'keep' }
  return run.ending === undefined
    ? { kind: 'fence', update: fence(record, run, as, closing.now) }
    : { kind: 'end', ending: endFenced(record, run, run.ending, closing) }
}

/**
 * Conditional on exactly what was judged: a stage that has settled meanwhile may have ended the run. The fence is also written
 * when no stage is unfinished, because the next one could begin.
 */
function fence(record: StageRecord, run: StageRun, as: EndingKind, now: number): Update {
  const unfinished = [...run.stages].filter(([, entry]) => !isAtEnd(entry))
  const asJudged = unfinished.map(([name, entry]): Condition => ({
    field: STAGE + name,
    is: '=',
    value: writeEntry(entry),
  }))
  const reason = as === 'dead' ? 'abandoned' : as
  const dead: StageEntry = { status: 'dead', epoch: record.epoch, reason }
  // @protects an undo waits until the last attempt has certainly ended
  // @without now
  const notBefore = Math.max(now, ...unfinished.map(([, entry]) => leaseOf(entry)))
  return {
    key: record.key,
    // @protects a run is fenced as it was judged
    // @without sameRun(record, run)
    where: [...sameRun(record, run), sameFence(record), ...asJudged],
    set: {
      ...stagesAsWritten(new Map(unfinished.map(([name]) => [name, dead]))),
      ...endingAttributes(record, as, notBefore, now),
    },
  }
}

function endFenced(
  record: StageRecord,
  run: StageRun,
  ending: FencedRun,
  closing: EndOptions,
): RunEnding {
  const { stages } = run
  const as = endOf(run, ending)
  const ended = endRun(record, run, { as, stages }, closing)
  const deadRun = saveUndo(record, run, ending, closing)
  return { ...ended, deadRun, close: undefined }
}

/** A dead run waits for an operator, unless the flow undoes dead runs by itself. */
function endOf({ undoPlan = '' }: StageRun, { as }: FencedRun): EndKind {
  if (as === 'reset') return 'reset'
  return as === 'dead' && !readPlan(undoPlan).undoDead ? 'dead' : 'undone'
}

/** What the undo needs, kept until its effects are undone. The sweeper finds it in the index when it is due. */
function saveUndo(
  record: StageRecord,
  run: StageRun,
  fenced: FencedRun,
  closing: EndOptions,
): Upsert {
  const { now, retention } = closing
  const { undoPlan = '' } = run
  const dead = saveDeadRun(record, run, run.stages, closing)
  const { as, notBefore } = fenced
  const common = { undoPlan, ending: as, notBefore }
  const remove = ['ttl', 'reopened']
  if (endOf(run, fenced) === 'dead') {
    return {
      create: { ...dead.create, ...common },
      update: { ...dead.update, set: { ...dead.update.set, ...common }, remove },
    }
  }
  const hasWork = stagesToUndo(readPlan(undoPlan), run).length > 0
  const due = { undo: 'due', ...indexed(record.key.pk, 'running', notBefore) }
  const nothing = { undo: 'undone', ttl: ttlAt(now + retention) }
  const more = { ...common, ...(hasWork ? due : nothing) }
  const { statusShard: _shard, dueAt: _dueAt, ...create } = dead.create
  const { statusShard: _index, dueAt: _time, ...set } = dead.update.set ?? {}
  return {
    create: { ...dead.update.key, ...create, ...more },
    update: {
      ...dead.update,
      set: { ...set, ...more },
      remove: hasWork ? remove : [...INDEX_ATTRIBUTES, 'reopened'],
    },
  }
}

/** What the record of a run says about its undo. */
export interface UndoPlan {
  /** The version of the request, epoch milliseconds. */
  readonly sentAt: number
  /** In the order in which the flow declares them. */
  readonly stages: readonly UndoStage[]
  /** The flow has the option `sql`: which effects were made there, only the database knows. */
  readonly inSql: boolean
  /** Whether a run that dies is undone without an operator. */
  readonly undoDead: boolean
  /** Of the run, on a fair queue. */
  readonly tenant?: string
}

const DEAD = 'dead'

/**
 * One text: as JSON, `[sentAt, [stage, queueUrl], …]`, with `dead` at its end if dead runs are undone, and `sql` before it where
 * effects may be in SQL. The tenant is the third text of the first pair.
 */
export function writePlan({ sentAt, stages, inSql, undoDead, tenant }: UndoPlan): string {
  const pairs = stages.map(({ stage, queueUrl }) => [stage, queueUrl])
  if (tenant !== undefined) pairs[0]?.push(tenant)
  const text = JSON.stringify([sentAt, ...pairs, ...(undoDead ? [DEAD] : [])])
  return inSql ? IN_SQL + text : text
}

/** @throws when `writePlan` has not written it */
export function readPlan(text: string): UndoPlan {
  const inSql = text.startsWith(IN_SQL)
  const parsed: unknown = JSON.parse(inSql ? text.slice(IN_SQL.length) : text)
  const [sentAt, ...rest] = Array.isArray(parsed) ? (parsed as unknown[]) : []
  const undoDead = rest.at(-1) === DEAD
  const pairs = undoDead ? rest.slice(0, -1) : rest
  const stages = pairs.map((pair) => {
    const [stage, queueUrl] = Array.isArray(pair) ? (pair as unknown[]) : []
    if (typeof stage !== 'string' || typeof queueUrl !== 'string') throw unreadable()
    return { stage, queueUrl }
  })
  if (typeof sentAt !== 'number' || isObject(sentAt)) throw unreadable()
  const tenant = Array.isArray(pairs[0]) ? (pairs[0] as unknown[])[2] : undefined
  return { sentAt, stages, inSql, undoDead, ...(typeof tenant === 'string' && { tenant }) }
}

function unreadable(): Error {
  return new Error('the plan of an undo was written by a newer version, or by hand')
}

/** The stages to undo: those that have made effects, or may have made some in SQL, the last one first. */
export function stagesToUndo(
  { stages, inSql }: UndoPlan,
  { marks, stages: begun }: Pick<StageRun, 'marks' | 'stages'>,
): readonly UndoStage[] {
  const marked = new Set([...marks].map(stageOfMark))
  const made = stages.filter(({ stage }) => marked.has(stage) || (inSql && begun.has(stage)))
  return inRunOrder(made, begun).toReversed()
}

/**
 * As declared, but each after those that led to it: awaited steps are not declared among the stages. A stage that has not settled
 * has led to none, because those it sends to wait for it.
 */
function inRunOrder(stages: readonly UndoStage[], begun: StageRun['stages']): readonly UndoStage[] {
  const ordered: UndoStage[] = []
  for (let left = stages; left.length > 0; left = left.filter((one) => !ordered.includes(one))) {
    const isNext = ({ stage }: UndoStage): boolean =>
      left.every((one) => !leadsTo(begun, one.stage, stage))
    ordered.push(...left.filter(isNext).slice(0, 1), ...(left.some(isNext) ? [] : left))
  }
  return ordered
}

/** Whether a message of `from`, or of a stage after it, has brought about `to`. */
function leadsTo(begun: StageRun['stages'], from: string, to: string): boolean {
  const seen = new Set([from])
  for (const name of seen) {
    const entry = begun.get(name)
    if (entry?.status === 'settled') for (const next of entry.sentTo) seen.add(next)
  }
  return from !== to && seen.has(to)
}

/** Marks are `stage:name`, `stage?nth:name` and `stage!nth:name`. Names of stages contain none of these signs. */
function stageOfMark(mark: string): string {
  return mark.slice(0, mark.search(/[:?!]/))
}

/** The id of the record that undoes the effects of a stage. The epoch is that of the run which has ended. */
export function undoId(uniqueRequestId: string, epoch: number, stage: string): string {
  return stableId(uniqueRequestId, String(epoch), 'undo', stage)
}
