import type { UserCondition } from '../../src/store/store.ts'
import type { Removal } from './lab.ts'
import { NEXT_URL, QUEUE_URL } from './places.ts'
import {
  believing,
  both,
  changing,
  dropping,
  guarding,
  overwriting,
  pretending,
  showing,
  those,
} from './removals.ts'
import type { ScenarioName } from './scenarios.ts'
import { remove } from './sqs.ts'
import type { Fault } from './world.ts'

/** One part of what keeps the promises, and the schedules that need it. */
export interface Protection {
  readonly name: string
  readonly removal: Removal
  readonly scenarios: readonly ScenarioName[]
  readonly faults?: number
  readonly only?: readonly Fault[]
  readonly deliveries?: number
  /** Why no promise is broken without it, when none is. */
  readonly survives?: string
}

const CLAIMS = those('takes over', 'reopens')
const ENDS = those('completes', 'writes', 'releases', 'marks the request', 'buries')
const anything = (): boolean => true

const fences: readonly Protection[] = [
  {
    name: 'fence on the end',
    removal: { store: dropping('attemptId', those('completes')) },
    scenarios: ['applyOnce'],
  },
  {
    name: 'fence on the re-send ticket',
    removal: { store: dropping('attemptId', those('writes ticket')) },
    scenarios: ['resent'],
  },
  {
    name: 'fence on coming back later',
    removal: { store: dropping('attemptId', those('writes when')) },
    scenarios: ['hidden'],
  },
  {
    name: 'fence on handing back',
    removal: { store: dropping('attemptId', those('releases')) },
    scenarios: ['applyOnce'],
    faults: 2,
  },
  {
    name: 'fence on dying',
    removal: { store: dropping('attemptId', those('marks the request')) },
    scenarios: ['hopeless', 'floating'],
  },
  {
    name: 'fence on burying',
    removal: { store: dropping('attemptId', those('buries')) },
    scenarios: ['hopeless', 'floating'],
  },
  {
    name: 'fence on stored calls',
    removal: { store: dropping('attemptId', those('stores')) },
    scenarios: ['once'],
  },
  {
    name: "fence on the user's write (applyOnce)",
    removal: { store: dropping('attemptId', those('marks reserve')) },
    scenarios: ['applyOnce'],
  },
  {
    name: "fence on the user's write (put, update)",
    removal: { store: dropping('attemptId', those('checks')) },
    scenarios: ['idempotent'],
  },
  {
    name: 'no write while dying or dead',
    removal: { store: dropping('status', those('marks reserve')) },
    scenarios: ['floating'],
  },
  {
    name: 'refused end is believed',
    removal: { store: believing(those('completes')) },
    scenarios: ['applyOnce'],
  },
  {
    name: 'refused ticket is believed',
    removal: { store: believing(those('writes ticket')) },
    scenarios: ['resent'],
  },
  {
    name: 'refused START is believed',
    removal: { store: believing(those('stores START')) },
    scenarios: ['once'],
  },
]

const claims: readonly Protection[] = [
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
    scenarios: ['applyOnce', 'sentTwice'],
  },
  {
    name: 'a live lease is respected',
    removal: {
      store: both(
        dropping('leaseUntil', CLAIMS),
        showing((token) => ({ ...token, leaseUntil: 0 })),
      ),
    },
    scenarios: ['applyOnce'],
  },
  {
    name: 'take-over: on the judged attempt',
    removal: { store: dropping('attemptId', CLAIMS) },
    scenarios: ['resent', 'hidden'],
    deliveries: 4,
  },
  {
    name: 'take-over: on the judged status',
    removal: { store: dropping('status', CLAIMS) },
    scenarios: ['hopeless', 'floating', 'lastAttempt'],
    deliveries: 3,
  },
  {
    name: 'take-over: on the judged lease',
    removal: { store: dropping('leaseUntil', CLAIMS) },
    scenarios: ['resent', 'hidden', 'applyOnce'],
    deliveries: 3,
  },
  {
    name: 'take-over: on anything that was judged',
    removal: {
      store: both(
        dropping('leaseUntil', CLAIMS),
        both(dropping('attemptId', CLAIMS), dropping('status', CLAIMS)),
      ),
    },
    scenarios: ['applyOnce', 'resent'],
    deliveries: 3,
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
    scenarios: ['applyOnce', 'resent', 'hopeless'],
    survives:
      'liveness: the message waits for its own lease, or finds its own end when it comes back',
  },
]

const effects: readonly Protection[] = [
  {
    name: 'effect and mark in one transaction',
    removal: { store: changing(those('marks reserve'), ({ key, where }) => ({ key, where })) },
    scenarios: ['applyOnce'],
  },
  {
    name: 'the mark is looked for (lacks)',
    removal: {
      store: changing(those('marks reserve'), (update) => ({
        ...update,
        where: update.where.filter((condition) => !('lacks' in condition)),
      })),
    },
    scenarios: ['applyOnce'],
  },
  {
    name: 'START before the call',
    removal: { store: pretending(those('stores START')) },
    scenarios: ['once', 'verify'],
  },
  {
    name: 'the answer is kept',
    removal: { store: pretending(those('stores the answer')) },
    scenarios: ['once', 'idempotent', 'verify'],
    survives:
      'START and the key protect the call; without its answer it is made again by key, verified, or parked',
  },
  {
    name: 'one key for all attempts',
    removal: {
      handle: (real) => (payload, ctx) =>
        real(payload, {
          ...ctx,
          once: (name, make, options) =>
            ctx.once(
              name,
              ({ idempotencyKey }) => make({ idempotencyKey: `${idempotencyKey}${ctx.attempt}` }),
              options,
            ),
        }),
    },
    scenarios: ['idempotent'],
  },
  {
    name: 'one id for what is sent on',
    removal: {
      messenger: (real, { next }) => ({
        ...real,
        send: (url, messages) => {
          if (url !== NEXT_URL) return real.send(url, messages)
          const attribute = { DataType: 'String', StringValue: `random-${next.sent}` }
          return real.send(
            url,
            messages.map((message) => ({
              ...message,
              attributes: { ...message.attributes, uniquerequestid: attribute },
            })),
          )
        },
      }),
    },
    scenarios: ['applyOnce'],
  },
  { name: 'newerThan', removal: { store: guarding(() => undefined) }, scenarios: ['newest'] },
  {
    name: 'newerThan: the id decides within a millisecond',
    removal: { store: guarding((where) => tie(where, [])) },
    scenarios: ['sameTime'],
  },
  {
    name: 'newerThan: only the greater id, within a millisecond',
    removal: { store: guarding((where) => tie(where, [{ exists: 'updatedAt' }])) },
    scenarios: ['sameTime'],
  },
]

/** With another rule for two requests of one time. */
function tie(where: UserCondition, rule: readonly UserCondition[]): UserCondition {
  if (!('any' in where)) return where
  return { any: [...where.any.filter((each) => !('all' in each)), ...rule] }
}

const acknowledging = (kind: string): Removal => ({
  acknowledges: (settlement) => settlement.kind === kind,
})

const ends: readonly Protection[] = [
  {
    name: 'a duplicate in progress is not acknowledged',
    removal: acknowledging('deferred'),
    scenarios: ['applyOnce'],
  },
  {
    name: 'a failure is not acknowledged',
    removal: acknowledging('failed'),
    scenarios: ['applyOnce'],
  },
  {
    name: 'a time-out is not acknowledged',
    removal: acknowledging('timedOut'),
    scenarios: ['applyOnce'],
  },
  {
    name: 'what waits is not acknowledged',
    removal: acknowledging('retrying'),
    scenarios: ['resent'],
  },
  {
    name: 're-send: first send, then acknowledge',
    removal: {
      messenger: (real, { queue }, letters) => ({
        ...real,
        send: (url, messages) => {
          if (url === QUEUE_URL) for (const { id } of letters) remove(queue, id)
          return real.send(url, messages)
        },
      }),
    },
    scenarios: ['resent'],
  },
  {
    name: 're-send: first send, then confirm',
    removal: {
      store: changing(those('writes ticket'), (update) => ({
        ...update,
        set: { ...update.set, confirmed: true },
      })),
    },
    scenarios: ['resent'],
  },
  {
    name: 're-send: a new ticket is not confirmed',
    removal: {
      store: changing(those('writes ticket'), ({ set = {}, ...update }) => {
        const { confirmed: _confirmed, ...rest } = set
        return { ...update, set: rest }
      }),
    },
    scenarios: ['resent'],
  },
  {
    name: 're-send: confirmed is this ticket',
    removal: { store: dropping('ticket', those('confirms')) },
    scenarios: ['resent'],
    faults: 2,
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
    scenarios: ['applyOnce', 'resent', 'hopeless', 'lastAttempt'],
    survives: 'equivalent: an attempt makes one end, and who takes over changes attemptId',
  },
]

export const protections: readonly Protection[] = [...fences, ...claims, ...effects, ...ends]
