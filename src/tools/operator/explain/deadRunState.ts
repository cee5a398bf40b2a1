import type { DeadRun } from '../../../claim/stage/deadRun.ts'
import type { Item } from '../../../store/store.ts'
import { itemKey } from '../../../sweeper/address.ts'
import type { DeadRunFacts } from './facts.ts'
import { reopenedStep } from './flowFates.ts'
import { stageFacts } from './stageState.ts'
import { nonEmptyText, timeIn } from './factParts.ts'

type DeadRunState = Omit<DeadRunFacts, 'id' | 'pk' | 'sk' | 'of' | 'operator' | 'advice' | 'logs'>

/** @param item the dead run's own item */
export function deadRunState(
  { uniqueRequestId: request, stages, marks, ending, undo }: DeadRun,
  item: Item,
  siblings: readonly Item[],
  now: number,
): DeadRunState {
  const { pk } = itemKey(item)
  return {
    kind: 'deadRun',
    status: statusOf(undo, item, reopenedStep(request, siblings)),
    request,
    diedAt: timeIn(item['created']),
    ending,
    undo,
    stages: stageFacts({ pk, request, stages, marks }, siblings, now),
    error: nonEmptyText(item['error']),
    stack: nonEmptyText(item['stack']),
    marks: [...marks],
  }
}

function statusOf(
  undo: DeadRun['undo'],
  { statusShard }: Item,
  reopened: string | undefined,
): DeadRunFacts['status'] {
  if (undo !== undefined) return undo === 'undone' ? 'undone' : 'undoing'
  if (statusShard !== undefined) return 'dead'
  return reopened === undefined ? 'closed' : 'waiting'
}
