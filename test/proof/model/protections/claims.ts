import { both, changing, dropping, overwriting, showing, those } from '../removals.ts'
import type { Protection } from './protection.ts'

const CLAIMS = those('takes over', 'reopens')
const anything = (): boolean => true

export const claims: readonly Protection[] = [
  {
    name: 'one claim only: create if absent',
    removal: { store: overwriting(anything) },
    scenarios: ['sentTwice'],
  },
  {
    name: 'the finished are remembered',
    removal: {
      store: both(
        showing((token) => (token['status'] === undefined ? undefined : token)),
        overwriting(({ status }) => status === undefined),
      ),
    },
    scenarios: ['write', 'sentTwice'],
  },
  {
    name: 'a live lease is respected',
    removal: {
      store: both(
        dropping('leaseUntil', CLAIMS),
        showing((token) => ({ ...token, leaseUntil: 0 })),
      ),
    },
    scenarios: ['write'],
  },
  {
    name: 'take-over: on the judged attempt',
    removal: { store: dropping('attemptId', CLAIMS) },
    scenarios: ['resent', 'hidden'],
    faults: 0,
    deliveries: 4,
  },
  {
    name: 'take-over: on the judged status',
    removal: { store: dropping('status', CLAIMS) },
    scenarios: ['hopeless', 'lastAttempt'],
    survives:
      'an attempt that takes over a dying request can write nothing: each of its writes requires inProgress',
  },
  {
    name: 'take-over: on the judged lease',
    removal: { store: dropping('leaseUntil', CLAIMS) },
    scenarios: ['resent', 'hidden', 'handedBack'],
    survives: 'liveness: a delay is not kept, or an attempt that was given back is counted',
  },
  {
    name: 'take-over: on anything that was judged',
    removal: {
      store: both(
        dropping('leaseUntil', CLAIMS),
        both(dropping('attemptId', CLAIMS), dropping('status', CLAIMS)),
      ),
    },
    scenarios: ['write'],
  },
  {
    name: 'attempts are counted',
    removal: {
      store: changing(those('takes over as'), (update) => ({
        ...update,
        set: { ...update.set, attempt: 1 },
      })),
    },
    scenarios: ['hopeless'],
  },
  {
    name: "one's own claim is recognised",
    removal: {
      store: showing((token, to) =>
        token['attemptId'] === to ? { ...token, attemptId: 'another' } : token,
      ),
    },
    scenarios: ['write', 'resent', 'hopeless'],
    survives:
      'liveness: the message waits for its own lease, or finds its own end when it comes back',
  },
]
