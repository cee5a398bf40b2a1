import type { Pause } from '../../../library/entries/sweeper/pause/pauseRow.ts'
import type { FoundQueue, FoundQueues } from '../../operator/dlq/findQueues.ts'
import type { OverviewAnswer } from './answers.ts'
import { session } from './api.ts'
import { type Answered, useAnswer } from './useAnswer.ts'

/** `GET /api/groups?counts=1` */
export type Queues = Omit<FoundQueues, 'others'>

/** Milliseconds. */
const COUNTED = { local: 5_000, account: 30_000 }

/**
 * How many items are open, by owner and status, as far as a look of bounded cost shows. The navigation, the overview and the map share
 * one answer.
 */
export function useOpen(): Answered<OverviewAnswer> {
  return useAnswer<OverviewAnswer>('overview', { noQueues: '1' }, COUNTED[placeOf()])
}

/** The dead-letter queues with their counts. Nothing is received; in an account it is a request for each queue, so it is asked once. */
export function useQueues(): Answered<Queues> {
  return useAnswer<Queues>('groups', { counts: '1' }, placeOf() === 'local' ? COUNTED.local : 0)
}

/** `GET /api/pauses` */
interface Pauses {
  readonly pauses: readonly PauseAnswer[]
}

export interface PauseAnswer extends Omit<Pause, 'since' | 'until'> {
  readonly since: string
  /** null: it has no end. */
  readonly until: string | null
}

/** What is paused: for its page, the banner on every page, and the navigation. A pause is begun and ended by hand. */
export function usePauses(): Answered<Pauses> {
  return useAnswer<Pauses>('pauses', {}, COUNTED[placeOf()])
}

/** The queue that dead letters go back to; undefined: there are several, or it is not known. */
export function onlySource(queue: FoundQueue | undefined): string | undefined {
  const [source, ...others] = queue?.sources ?? []
  return others.length === 0 ? source : undefined
}

function placeOf(): keyof typeof COUNTED {
  return session.value?.local === true ? 'local' : 'account'
}
