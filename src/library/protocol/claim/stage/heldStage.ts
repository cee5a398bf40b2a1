import { idInKey, nameInKey } from '../../../base/ids.ts'
import type { Item, Update, StoreKey } from '../../store/store.ts'
import { type DyingEntry, type OpenEntry, type StageEntry, writeEntry } from './stageEntry.ts'
import { readStageRecord, type StageRecord } from './stageRecord.ts'
import { type HeldStage, stageOwnedBy } from './stageOwnedBy.ts'
import { ttlAt } from '../../../base/limits/lifetime.ts'

/** @returns undefined when the record does not show the stage as held by `attemptId`. */
export function holdStage(
  record: StageRecord,
  stage: string,
  attemptId: string,
): HeldStage<OpenEntry | DyingEntry> | undefined {
  const { run } = record
  const entry = run?.stages.get(stage)
  // @survives ConditionalExpression: without a run there is no entry; the check is for the types.
  if (run === undefined || entry === undefined) return undefined
  if (entry.status !== 'open' && entry.status !== 'dying') return undefined
  return entry.attemptId === attemptId ? { record, run, stage, entry } : undefined
}

/** Why a write of the attempt was refused. */
export type RefusedWriteMeaning =
  /** The item holds all of the write: it had been made, and its answer was lost. */
  | { readonly kind: 'written' }
  /** The attempt still has the stage, but something else that the write depends on has changed. Decide again on this record. */
  | { readonly kind: 'mine'; readonly record: StageRecord }
  /**
   * Another attempt has the stage, or the run has ended. Decide again as for a message that has just arrived, but claim nothing:
   * acknowledge the message only if the verdict is `over`, `replaced` or `orphan`, because the other attempt may die.
   */
  | { readonly kind: 'gone'; readonly record: StageRecord | undefined }
  | { readonly kind: 'unreadable' }

export function explainRefusedWrite(
  held: HeldStage<StageEntry>,
  update: Update,
  item: Item | undefined,
): RefusedWriteMeaning {
  if (item === undefined) return { kind: 'gone', record: undefined }
  const record = readStageRecord(item)
  if (record === undefined) return { kind: 'unreadable' }
  const same = record.run?.uniqueRequestId === held.run.uniqueRequestId
  // @protects a later run of the same request is not taken for the own one
  // @without !same
  if (!same || record.epoch !== held.record.epoch) return { kind: 'gone', record }
  const entry = record.run.stages.get(held.stage)
  const mine = entry !== undefined && writeEntry(entry) === writeEntry(held.entry)
  if (hasAll(item, update, mine)) return { kind: 'written' }
  return mine ? { kind: 'mine', record } : { kind: 'gone', record }
}

/** A mark proves nothing to an attempt that has lost its claim, because another attempt may have set it. */
// @survives ArrayDeclaration: no item has an attribute of that name, so it is found removed.
function hasAll(item: Item, { set = {}, remove = [], addTo }: Update, mine: boolean): boolean {
  const marks = addTo === undefined ? undefined : item[addTo.field]
  return (
    Object.entries(set).every(([name, value]) => item[name] === value) &&
    remove.every((name) => item[name] === undefined) &&
    (addTo === undefined ||
      (marks instanceof Set &&
        marks.has(addTo.member) &&
        // @protects a mark that another attempt has set proves nothing
        mine))
  )
}

/**
 * The effects of a stage, by name, in one set that only grows. The set survives takeovers, is kept with a dead run, and is
 * removed as a whole at the reset. Stage names contain no `:`, `?` or `!`, so no two marks have the same text.
 */
export function effectMark(stage: string, name: string): string {
  // @protects marks of two stages are kept apart
  // @without name
  return `${stage}:${name}`
}

/** Part of the transaction with the user's write. Call it only if `isApplied` is false. */
export function addStageEffect(held: HeldStage, name: string): Update {
  return addMark(held, effectMark(held.stage, name))
}

export function isApplied(held: HeldStage, name: string): boolean {
  return held.run.marks.has(effectMark(held.stage, name))
}

/** Effects, and outside calls that have begun. A call that may be repeated is not among them: it has no mark. */
export function namesOfStage(held: HeldStage): readonly string[] {
  const { stage, run } = held
  const names = [...run.marks].map((mark) => {
    if (mark.startsWith(`${stage}:`)) return mark.slice(stage.length + 1)
    if (!mark.startsWith(`${stage}?`)) return undefined
    const name = mark.slice(mark.indexOf(':') + 1)
    return callState(held, name).kind === 'inDoubt' ? name : undefined
  })
  return names.filter((name) => name !== undefined)
}

/** What the record shows about an outside call. Its result, if there is one, has an item of its own (answerKey). */
type CallState =
  | { readonly kind: 'never' }
  /** The `nth` call has begun, and it is not known to have failed before it reached the outside system. */
  | { readonly kind: 'inDoubt'; readonly nth: number }
  | { readonly kind: 'notDone'; readonly nth: number }

export function callState(held: HeldStage, name: string): CallState {
  const { marks } = held.run
  let nth = 0
  while (marks.has(startMark(held, name, nth + 1))) nth += 1
  if (nth === 0) return { kind: 'never' }
  return marks.has(notDoneMark(held, name, nth))
    ? { kind: 'notDone', nth }
    : { kind: 'inDoubt', nth }
}

/** Written before an outside call that may not be repeated. `nth` counts from 1. */
export function markStarted(held: HeldStage, name: string, nth: number): Update {
  return addMark(held, startMark(held, name, nth))
}

/** The call certainly did not happen, so it may be made again. */
export function markNotDone(held: HeldStage, name: string, nth: number): Update {
  return addMark(held, notDoneMark(held, name, nth))
}

function startMark({ stage }: HeldStage, name: string, nth: number): string {
  return `${stage}?${nth}:${name}`
}

function notDoneMark({ stage }: HeldStage, name: string, nth: number): string {
  return `${stage}!${nth}:${name}`
}

function addMark(held: HeldStage, member: string): Update {
  return {
    key: held.record.key,
    // @protects an effect of a stage is refused when its mark is set
    // @without stageOwnedBy(held)
    where: [...stageOwnedBy(held), { field: 'applied', lacks: member }],
    addTo: { field: 'applied', member },
  }
}

/** Adds the new mark to the known state, so that the next check needs no read. */
export function withEffect(held: HeldStage, { addTo }: Update): HeldStage {
  if (addTo === undefined) return held
  const { marks, applied } = held.run
  const run = { ...held.run, marks: new Set([...marks, addTo.member]), applied: applied + 1 }
  return { ...held, run }
}

/** Results are stored outside the record: they may be long, and they outlive the run, so that a redrive replays them. */
export function answerKey({ record, run, stage }: HeldStage, name: string): StoreKey {
  return { pk: record.key.pk, sk: answerPrefix(run.uniqueRequestId, stage) + nameInKey(name) }
}

/** What the sort keys of all results of a stage begin with. */
export function answerPrefix(uniqueRequestId: string, stage: string): string {
  return `answer#${idInKey(uniqueRequestId)}#${stage}:`
}

/**
 * The item is created, not updated: the first result stays, and later attempts take that result. It has no fence, because it
 * records what happened outside, whichever attempt made the call.
 */
export function answerItem(
  held: HeldStage,
  name: string,
  answer: string,
  keepUntil: number,
): Item & StoreKey {
  return { ...answerKey(held, name), answer, ttl: ttlAt(keepUntil) }
}
