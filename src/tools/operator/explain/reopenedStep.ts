import { readAwaiting, stepNameIn } from '../../../claim/awaiting/awaiting.ts'
import type { Item } from '../../../store/store.ts'

/**
 * The step in which a request that has died waits again, because an operator has given up its answer (`awaits reopen`).
 * @param siblings the items under the key of its flow
 */
export function reopenedStep(request: string, siblings: readonly Item[]): string | undefined {
  const waiting = siblings
    .map(readAwaiting)
    .find(
      (step) => step?.uniqueRequestId === request && step.reopened && step.joinedBy === undefined,
    )
  return waiting && stepNameIn(waiting.key)
}
