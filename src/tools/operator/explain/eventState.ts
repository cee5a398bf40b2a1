import type { Item } from '../../../store/store.ts'
import type { EventFacts } from './messageFacts.ts'
import { timeIn } from './storedValues.ts'

type EventState = Omit<EventFacts, 'id' | 'pk' | 'sk' | 'of' | 'operator' | 'advice'>

/** An event that is processed once. */
export function eventState({ status, created, queued }: Item): EventState {
  const times = { acceptedAt: timeIn(created), queuedAt: timeIn(queued) }
  if (status === 'accepted') return { kind: 'event', status, ...times, fates: [] }
  return {
    kind: 'event',
    status: status === 'queued' ? 'queued' : 'taken',
    ...times,
    fates: [
      {
        kind: 'dropped',
        request: undefined,
        stage: undefined,
        until: undefined,
        text: 'dropped as a duplicate',
      },
    ],
  }
}
