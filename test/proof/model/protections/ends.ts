import { both, changing, dropping, pretending, those } from '../removals.ts'
import type { Removal } from '../model.ts'
import { NEXT_URL, QUEUE_URL } from '../places.ts'
import { remove } from '../../../../src/testing/queues/simulatedQueue.ts'
import type { Protection } from './protection.ts'

const ENDS = those('completes', 'writes', 'releases', 'marks the request', 'buries')

const acknowledging = (kind: string): Removal => ({
  acknowledges: (settlement) => settlement.kind === kind,
})

export const ends: readonly Protection[] = [
  {
    name: 'a duplicate in progress is not acknowledged',
    removal: acknowledging('deferred'),
    scenarios: ['write'],
  },
  {
    name: 'a failure is not acknowledged',
    removal: acknowledging('failed'),
    scenarios: ['write'],
  },
  {
    name: 'a time-out is not acknowledged',
    removal: acknowledging('timedOut'),
    scenarios: ['write'],
  },
  {
    name: 'what waits is not acknowledged',
    removal: acknowledging('retrying'),
    scenarios: ['resent'],
  },
  {
    name: 're-send: first send, then acknowledge',
    removal: {
      messenger: (real, { queue }, delivered) => ({
        ...real,
        send: (url, messages) => {
          if (url === QUEUE_URL) for (const { id } of delivered) remove(queue, id)
          return real.send(url, messages)
        },
      }),
    },
    scenarios: ['resent'],
  },
  {
    name: 're-send: first send, then confirm',
    removal: {
      store: changing(those('writes resend'), (update) => ({
        ...update,
        set: { ...update.set, confirmed: true },
      })),
    },
    scenarios: ['resent'],
  },
  {
    name: 're-send: a new number is not confirmed',
    removal: {
      store: changing(those('writes resend'), ({ set = {}, ...update }) => {
        const { confirmed: _confirmed, ...rest } = set
        return { ...update, set: rest }
      }),
    },
    scenarios: ['resent'],
  },
  {
    name: 're-send: only its sender confirms',
    removal: { store: dropping('attemptId', those('confirms')) },
    scenarios: ['confirmedLate'],
  },
  {
    name: 'dead letter: first fence the living',
    removal: {
      store: both(
        pretending(those('marks the request', 'takes over, to bury')),
        changing(those('buries'), (update) => ({ ...update, where: [{ exists: 'pk' }] })),
      ),
    },
    scenarios: ['lastAttempt'],
  },
  {
    name: 'dead letter: first send, then bury',
    removal: {
      messenger: (real) => ({
        ...real,
        send: (url, messages) =>
          url === QUEUE_URL || url === NEXT_URL
            ? real.send(url, messages)
            : Promise.resolve(messages.map(() => undefined)),
      }),
    },
    scenarios: ['hopeless'],
  },
  {
    name: 'dead letter: bury only what is dying',
    removal: { store: dropping('status', those('buries')) },
    scenarios: ['hopeless', 'floating', 'lastAttempt'],
    survives:
      'equivalent: attemptId is that of the attempt that made it dying, and a dying attempt has no other end',
  },
  {
    name: 'end: only what is in progress',
    removal: { store: dropping('status', ENDS) },
    scenarios: ['write', 'resent', 'hopeless', 'lastAttempt'],
    survives: 'equivalent: an attempt makes one end, and who takes over changes attemptId',
  },
]
