import { digestOf } from '../../../../src/library/protocol/claim/stage/version.ts'
import {
  asking,
  ending,
  ENDS,
  impatient,
  NAME_ONLY,
  NEWEST_COMPLETED,
  NO_JOIN,
  notMine,
  ONE,
  RING_AND_WATERMARK,
  seeing,
  STAGES,
  staging,
  starting,
  without,
  withoutCondition,
} from './alterations.ts'
import { FURTHER } from './furtherMutations.ts'
import type { Mutation } from './mutation.ts'
import { REPORT_MUTATIONS } from './reportMutations.ts'
import { UNREAD_MUTATIONS } from './unreadMutations.ts'
import { both, dropping, following, leaving, replacing, rewriting } from './removals.ts'

/** Those of the specification, in its order. */
export const SPECIFIED: readonly Mutation[] = [
  {
    name: 'no fence on writes',
    removal: dropping(/effect/, STAGES),
    scenario: 'newest defer',
    breaks: 'S2',
  },
  {
    name: 'no attempt budget',
    removal: asking({ maxAttempts: 99 }),
    scenario: 'one request, errors',
    change: { deliveries: 4, faults: 2, errors: 0 },
    breaks: 'B1',
  },
  {
    name: 'applied marks not per stage',
    removal: NAME_ONLY,
    scenario: 'newest defer',
    change: { stages: { A: [{ effect: 'x' }, { send: 'B' }], B: [{ effect: 'x' }] } },
    breaks: 'R1',
  },
  {
    name: 'applied marks not parked with the dead',
    removal: ending((end) =>
      end.deadRun === undefined
        ? end
        : {
            ...end,
            deadRun: {
              create: { ...end.deadRun.create, restored: '[]' },
              update: { ...end.deadRun.update, set: { ...end.deadRun.update.set, restored: '[]' } },
            },
          },
    ),
    scenario: 'dead-letter and redrive',
    breaks: 'E1',
  },
  {
    name: 'random ids',
    removal: following({ ids: 'new in each attempt' }),
    scenario: 'newest defer',
    breaks: 'E2',
  },
  {
    name: 'later stage claims any flow',
    removal: staging(
      (decide) => (record, request, now) =>
        decide(
          record,
          {
            ...request,
            epoch: record?.epoch ?? 0,
            uniqueRequestId: record?.run?.uniqueRequestId ?? request.uniqueRequestId,
          },
          now,
        ),
    ),
    scenario: 'newest supersede',
    breaks: 'L3',
  },
  {
    name: 'unconditional reset',
    removal: rewriting(ENDS, withoutCondition),
    scenario: 'newest supersede',
    breaks: 'R2',
  },
  {
    name: 'duplicate in progress acknowledged',
    removal: following({ whenHeld: 'acknowledge' }),
    scenario: 'newest defer',
    breaks: 'I2',
  },
  {
    name: 'no sweeper / give-up time',
    removal: replacing({ decideAbandon: () => ({ kind: 'keep' }) }),
    scenario: 'newest defer',
    change: { faults: 2, deliveries: 1 },
    breaks: 'O1',
  },
  {
    name: 'drop ring of 1',
    removal: (protocol) => ({
      ...protocol,
      writeDrop: (record, uid) => ({
        ...protocol.writeDrop(record, uid),
        set: { dropped: digestOf(uid) },
      }),
    }),
    scenario: 'newest drop, 3 requests',
    change: {
      requests: [
        { uid: 'X', sentAt: 1 },
        { uid: 'Y', sentAt: 2, copies: 2 },
        { uid: 'Z', sentAt: 3 },
      ],
      invocations: 2,
      faults: 0,
    },
    breaks: 'L1',
  },
  {
    name: 'newer than the last completed',
    removal: NEWEST_COMPLETED,
    scenario: 'outside reset, supersede',
    change: {
      requests: [
        { uid: 'X', sentAt: 1, copies: 2 },
        { uid: 'Y', sentAt: 2 },
      ],
    },
    breaks: 'R2',
  },
  {
    name: 'ring and watermark only (defer)',
    removal: RING_AND_WATERMARK,
    scenario: 'newest defer',
    change: { ages: 0 },
    breaks: 'N1',
  },
  {
    name: 'any request takes over',
    removal: asking({ onConflict: 'supersede' }),
    scenario: 'newest defer',
    breaks: 'R2',
  },
  {
    name: 'every: ring without watermark',
    removal: seeing((record) => ({ ...record, forgotten: undefined })),
    scenario: 'every defer, late duplicates of the forgotten',
    change: { faults: 0 },
    breaks: 'L1',
  },
  {
    name: 'every: history read, claim without the condition on the epoch',
    removal: rewriting(/^starts/, (update) => ({
      ...update,
      where: [{ absent: 'uniquerequestid' }],
    })),
    scenario: 'every defer, late duplicates of the forgotten',
    breaks: 'L1',
  },
  {
    name: 'coalesce: older ones not barred',
    removal: seeing((record) => ({
      ...record,
      waiting: record.run === undefined ? undefined : record.waiting,
    })),
    scenario: 'newest coalesce, 3 requests',
    change: {
      stages: { A: [{ effect: 'a' }] },
      requests: [
        { uid: 'X', sentAt: 1 },
        { uid: 'Y', sentAt: 2, copies: 2 },
        { uid: 'Z', sentAt: 3 },
      ],
    },
    breaks: 'L1',
  },
  {
    name: 'coalesce: unconditional mark',
    removal: rewriting(/^says/, withoutCondition),
    scenario: 'newest coalesce, 3 requests',
    change: {
      stages: { A: [{ effect: 'a' }] },
      requests: [
        { uid: 'X', sentAt: 1 },
        { uid: 'Y', sentAt: 2, copies: 2 },
        { uid: 'Z', sentAt: 3 },
      ],
    },
    breaks: 'L1',
  },
  {
    name: 'no guard on effects',
    removal: dropping(/effect/, /uniquerequestid|epoch|^stage:/),
    scenario: 'newest supersede',
    breaks: 'S1',
  },
  {
    name: 'own claim not recognised',
    removal: both(
      starting((decide) => (record, request, now) => notMine(decide(record, request, now))),
      staging((decide) => (record, request, now) => notMine(decide(record, request, now))),
    ),
    scenario: 'newest defer',
    breaks: 'F1',
  },
  {
    name: 'no applied marks',
    removal: both(replacing({ isApplied: () => false }), dropping(/effect/, /applied/)),
    scenario: 'newest defer',
    breaks: 'E1',
  },
  {
    name: 'applied marks kept over reset',
    removal: leaving(/^(ends|starts)/, /^applied$/),
    scenario: 'newest defer',
    breaks: 'R1',
    slow: true,
  },
  {
    name: 'epoch inside deterministic ids',
    removal: following({ ids: 'new in each epoch' }),
    scenario: 'dead-letter and redrive',
    change: { faults: 1, maxAttempts: 1, errors: 0 },
    breaks: 'E2',
  },
  { name: 'no join at the reset', removal: NO_JOIN, scenario: 'fork and join', breaks: 'R1' },
  {
    name: 'hand-over first, no join',
    removal: both(following({ handOver: 'first' }), both(NO_JOIN, asking({ after: undefined }))),
    scenario: 'newest defer',
    breaks: 'S3',
  },
  {
    name: 'later stage ignores epoch',
    removal: staging(
      (decide) => (record, request, now) =>
        decide(record, { ...request, epoch: record?.epoch ?? 0 }, now),
    ),
    scenario: 'dead-letter and redrive',
    change: { faults: 1, maxAttempts: 1, errors: 0 },
    breaks: undefined,
    because:
      'a request runs in another epoch only when a redrive has brought it back, and that run takes it',
  },
  {
    name: 'writes ignore epoch and fence',
    removal: dropping(/effect/, /epoch|^stage:/),
    scenario: 'newest defer',
    breaks: 'S2',
  },
  {
    name: 'fenced attempt acknowledges',
    removal: following({ whenFenced: 'acknowledge' }),
    scenario: 'one request, errors',
    change: { errors: 0, faults: 2, stages: ONE, requests: [{ uid: 'X', sentAt: 1 }] },
    breaks: 'I2',
  },
  {
    name: 'acknowledged before the re-send',
    removal: following({ copy: 'after it' }),
    scenario: 'one request, errors',
    breaks: 'I2',
  },
  {
    name: 'dead letter sent before the fence',
    removal: following({ deadLetter: 'before it' }),
    scenario: 'dead-letter and redrive',
    change: { redrives: 0, faults: 2 },
    breaks: 'L2',
    slow: true,
  },
  {
    name: 'drop verdict not recorded',
    removal: starting((decide) => (record, request, now) => {
      const verdict = decide(record, request, now)
      return verdict.kind === 'drop' ? { kind: 'over', as: 'dropped' } : verdict
    }),
    scenario: 'newest drop',
    change: {
      requests: [
        { uid: 'X', sentAt: 1 },
        { uid: 'Y', sentAt: 2, copies: 2 },
      ],
    },
    breaks: 'L1',
  },
  {
    name: 'newer than the last completed, reset not remembered',
    removal: NEWEST_COMPLETED,
    scenario: 'outside reset, defer, duplicates',
    change: { requests: [{ uid: 'X', sentAt: 1, copies: 2 }] },
    breaks: 'L1',
  },
  {
    name: 'ring and watermark only (supersede)',
    removal: RING_AND_WATERMARK,
    scenario: 'newest supersede',
    breaks: 'R2',
  },
  {
    name: 'milliseconds compared without the id',
    removal: starting(
      (decide) => (record, request, now) =>
        record?.newest?.startsWith(String(request.sentAt).padStart(15, '0')) === true &&
        !record.newest.endsWith(request.uniqueRequestId) &&
        record.run?.uniqueRequestId !== request.uniqueRequestId
          ? { kind: 'over', as: 'stale' }
          : decide(record, request, now),
    ),
    scenario: 'newest supersede, equal sentAt',
    breaks: 'X1',
  },
  {
    name: 'every: watermark drops',
    removal: starting((decide) => (record, request, now) => {
      const verdict = decide(record, request, now)
      return verdict.kind === 'lookUp' ? { kind: 'over', as: 'stale' } : verdict
    }),
    scenario: 'every defer, ring full',
    breaks: 'X1',
  },
  {
    name: 'every: forgotten ones not written out',
    removal: ending((end) => ({ ...end, remember: [] })),
    scenario: 'every defer, late duplicates of the forgotten',
    change: { faults: 0 },
    breaks: 'L1',
  },
  {
    name: 'every: outside reset not remembered',
    removal: ending((end) =>
      end.as === 'reset'
        ? {
            ...end,
            finish: { ...end.finish, set: without(end.finish.set, 'ended', 'payloads', 'last') },
          }
        : end,
    ),
    scenario: 'every defer, outside reset',
    breaks: 'L1',
  },
  {
    name: 'claim while the lease is live',
    removal: both(starting(impatient), staging(impatient)),
    scenario: 'newest defer',
    breaks: 'F1',
  },
  {
    name: 'hand-over first, join kept',
    removal: following({ handOver: 'first' }),
    scenario: 'newest defer',
    breaks: undefined,
    because: 'the join alone carries it, at the price of waiting',
  },
  {
    name: 'writes ignore epoch',
    removal: dropping(/./, /^epoch$/),
    scenario: 'newest supersede',
    breaks: undefined,
    because: 'the fence grows with each claim too, and an attempt id is used once',
  },
  {
    name: 'reset leaves epoch',
    removal: leaving(ENDS, /^epoch$/),
    scenario: 'outside reset, supersede',
    breaks: undefined,
    because: 'the next start raises it',
  },
  {
    name: 'no confirm of the re-send',
    removal: rewriting(/^confirms/, ({ set: _sent, ...update }) => update),
    scenario: 'one request, errors',
    breaks: undefined,
    because: 'copies multiply, executions stay bounded',
  },
  {
    name: 'takeover leaves epoch',
    removal: leaving(/^starts/, /^epoch$/),
    scenario: 'newest supersede',
    breaks: undefined,
    because: 'the id differs, and the reset raises it',
  },
]

export const MUTATIONS: readonly Mutation[] = [
  ...SPECIFIED,
  ...FURTHER,
  ...REPORT_MUTATIONS,
  ...UNREAD_MUTATIONS,
]
