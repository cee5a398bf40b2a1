import type { Item, StoreKey, Update } from '../../store/store.ts'
import { type HeldStage, stageOwnedBy } from './heldStage.ts'

/**
 * What a stage has done, by name, in one set that only grows: it survives takeovers, is kept with a dead run and is removed as a
 * whole at the reset. Stage names hold no `:`, `?` or `!`, so no two marks are the same text.
 */
export function effectMark(stage: string, name: string): string {
  return `${stage}:${name}`
}

/** Nothing is written; the transaction with the user's write fails when the claim is gone. */
export function checkStageOwned(held: HeldStage): Update {
  return { key: held.record.key, where: stageOwnedBy(held) }
}

/** In one transaction with the user's write. Not to be asked for when `isApplied`. */
export function addEffect(held: HeldStage, name: string): Update {
  return addMark(held, effectMark(held.stage, name))
}

export function isApplied(held: HeldStage, name: string): boolean {
  return held.run.marks.has(effectMark(held.stage, name))
}

/** What the record knows of an outside call; its answer, if there is one, has an item of its own (answerKey). */
type CallState =
  | { readonly kind: 'never' }
  /** Begun as the `nth`, and not known to have failed before it reached the other side. */
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

/** Before an outside call that may not be repeated. `nth` counts from 1. */
export function markStarted(held: HeldStage, name: string, nth: number): Update {
  return addMark(held, startMark(held, name, nth))
}

/** The call surely did not happen: it may be made again. */
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
    where: [...stageOwnedBy(held), { field: 'applied', lacks: member }],
    addTo: { field: 'applied', member },
  }
}

/** With the new mark seen, so that the next question is answered without a read. */
export function withEffect(held: HeldStage, { addTo }: Update): HeldStage {
  if (addTo === undefined) return held
  return { ...held, run: { ...held.run, marks: new Set([...held.run.marks, addTo.member]) } }
}

/** Kept outside the record: an answer may be long, and outlives the run, so that a redrive replays it. */
export function answerKey({ record, run, stage }: HeldStage, name: string): StoreKey {
  return { pk: record.key.pk, sk: `answer#${run.uniqueRequestId}#${stage}:${name}` }
}

/**
 * To be created: the first answer stands, and who is refused takes the one that stands there. Without a fence, for it says what
 * happened outside, whichever attempt made the call.
 */
export function answerItem(
  held: HeldStage,
  name: string,
  answer: string,
  keepUntil: number,
): Item & StoreKey {
  return { ...answerKey(held, name), answer, ttl: Math.ceil(keepUntil / 1_000) }
}
