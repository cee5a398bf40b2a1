import { useEffect } from 'preact/hooks'
import type { Common } from '../../api.ts'
import { intent } from '../../parts/plans.ts'
import { session } from '../../session.ts'
import type { Queues } from './answers.ts'
import { isStale } from './isStale.ts'

/**
 * Looks again at local queues when their counts say that the last look has missed something, such as what another reader held. Not
 * while a plan is open, because a look would hide the dead letters from it.
 * @param queue name of the only queue that was looked at; '': all
 * @param looked how many were looked at; undefined: not all of them were wanted
 */
export function useFreshLook(
  known: (Common & Queues) | undefined,
  queue: string,
  looked: number | undefined,
  refresh: () => void,
): void {
  const isFree = intent.value === undefined && session.value?.local === true
  useEffect(() => {
    if (isFree && known !== undefined && looked !== undefined && isStale(known, queue, looked)) {
      refresh()
    }
    // Once for each answer about the counts: what a look misses again waits for the next one.
  }, [known?.at, isFree])
}
