import { type Awaiting, stepIdOf, stepNameIn, TIMEOUT } from '../../../claim/awaiting/awaiting.ts'
import { readExternalIds } from '../../../claim/awaiting/saveAwaiting.ts'
import { refusalOfAnswer } from '../../../claim/awaiting/decideAnswer.ts'
import type { Item } from '../../../store/store.ts'
import type { StepFacts } from './facts.ts'
import { timeIn } from './factParts.ts'

/** What the step says. */
export type StepState = Omit<StepFacts, 'id' | 'pk' | 'sk' | 'of' | 'operator' | 'advice'>

/** @param item of the step: it may hold the external ids, and why an answer was refused */
export function stepState(awaiting: Awaiting, item: Item, now: number): StepState {
  const { key, uniqueRequestId: request, steps, need, count, until, joinedBy, reopened } = awaiting
  const step = stepNameIn(key)
  const ids = readExternalIds(item)
  return {
    kind: 'step',
    status: statusOf(awaiting, now),
    step,
    request,
    need,
    received: count,
    requested: steps.size,
    since: timeIn(item['created']),
    until,
    externalIds: ids.map((id) => ({
      id,
      answered: steps.get(stepIdOf(step, id, request)) !== undefined,
    })),
    more: Math.max(0, steps.size - ids.length),
    refused: joinedBy === undefined ? refusalOfAnswer(item) : undefined,
    reopened,
  }
}

function statusOf(awaiting: Awaiting, now: number): StepFacts['status'] {
  if (awaiting.joinedBy === TIMEOUT) return 'timedOut'
  if (awaiting.joinedBy !== undefined) return 'complete'
  return isTimeoutLost(awaiting, now) ? 'overdue' : 'waiting'
}

/** A timeout is late: its message is hidden on the queue, or was lost, milliseconds. */
const GRACE = 2 * 60_000

export function isTimeoutLost({ until }: Awaiting, now: number): boolean {
  return until + GRACE < now
}
