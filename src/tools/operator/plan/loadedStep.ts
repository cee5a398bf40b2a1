import {
  type Awaiting,
  readAwaiting,
  stepNameIn,
} from '../../../library/protocol/claim/awaiting/awaiting.ts'
import type { DeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import { isGivenUp, type StageEntry } from '../../../library/protocol/claim/stage/stageEntry.ts'
import type { StageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { displayId } from '../text/itemId.ts'
import { describeStep } from '../explain/describeFlow.ts'
import { liveRunOf, madeIn, stepState } from '../explain/stageState.ts'
import type { OperatorAction, PlanHead } from './applyPlan.ts'

/** An awaited step as it was read, the record of its key, and its run if that is dead. */
export interface LoadedStep {
  readonly awaiting: Awaiting
  readonly item: Item
  readonly record: StageRecord | undefined
  readonly deadRun?: DeadRun | undefined
}

export function loadedStep(
  item: Item,
  record: StageRecord | undefined,
  deadRun?: DeadRun,
): LoadedStep | undefined {
  const awaiting = readAwaiting(item)
  return awaiting === undefined ? undefined : { awaiting, item, record, deadRun }
}

/** What the run shows of the step's handler. undefined: it has not begun, or the run is over. */
export function handlerOf(step: LoadedStep): StageEntry | undefined {
  const stages = (liveRunOf(step) ?? step.deadRun)?.stages
  return stages?.get(stepNameIn(step.awaiting.key))
}

/** Whether an answer can still continue the run: it holds the key, or the step was reopened after the run died in its handler. */
export function canContinue(step: LoadedStep): boolean {
  if (liveRunOf(step) !== undefined) return true
  return step.awaiting.reopened && isGivenUp(handlerOf(step))
}

export function headOf(
  action: OperatorAction,
  { awaiting, item }: LoadedStep,
  now: number,
): PlanHead {
  const { key, uniqueRequestId } = awaiting
  const whose = `step ${stepNameIn(key)} of ${uniqueRequestId}`
  return {
    action,
    id: displayId(key.pk),
    standing: [whose, ...describeStep(stepState(awaiting, item, now), now)],
  }
}

/**
 * Effects, outside calls and stored results of the step's handler, by name. Not shown: effects in SQL, and calls whose result was
 * never stored.
 * @param siblings the items beside the step
 */
export function stepEffects(step: LoadedStep, siblings: readonly Item[]): readonly string[] {
  const { awaiting, deadRun } = step
  const { key, uniqueRequestId: request } = awaiting
  const { marks = new Set<string>() } = liveRunOf(step) ?? deadRun ?? {}
  const { effects, calls } = madeIn(stepNameIn(key), { pk: key.pk, request, marks }, siblings)
  const made = calls.filter(({ state }) => state !== 'notMade').map(({ name }) => name)
  return [...new Set([...effects, ...made])].toSorted()
}
