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
  UNREADABLE_IN_0_1,
} from '../../claim/stage/stageRecord.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../claim/statusIndex.ts'
import type { Upsert } from '../../claim/itemStore.ts'
import type { Condition, Update } from '../../store/store.ts'
import { readPlan, stagesToUndo } from './undoPlan.ts'

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
  const notBefore = Math.max(now, ...unfinished.map(([, entry]) => leaseOf(entry)))
  return {
    key: record.key,
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
  const common = { undoPlan, ending: as, notBefore, ...UNREADABLE_IN_0_1 }
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
