import type { EndingKind, StageRecord } from '../../../../src/claim/stage/stageRecord.ts'
import type { Update } from '../../../../src/store/store.ts'
import { ending, judging, seeing, STAGES, starting } from './alterations.ts'
import type { Mutation } from './mutation.ts'
import {
  both,
  dropping,
  following,
  leaving,
  type Removal,
  replacing,
  rewriting,
} from './removals.ts'

/** A newer request takes over in one write, as it does from a run without undo. */
const IN_ONE_WRITE: Removal = both(
  judging((verdict) =>
    verdict.kind === 'endRun' &&
    verdict.as === 'superseded' &&
    verdict.record.run?.ending === undefined
      ? { kind: 'start', record: verdict.record }
      : verdict,
  ),
  dropping(/^starts/, /^applied$/),
)

/** The marks are kept as they were read, and no attempt is fenced before. */
const WITHOUT_FENCE: Removal = (protocol) => ({
  ...protocol,
  decideEnding: (record, as, closing) => protocol.decideEnding(fenced(record, as), as, closing),
})

function fenced(record: StageRecord, as: EndingKind): StageRecord {
  if (record.run === undefined || record.run.ending !== undefined) return record
  return { ...record, run: { ...record.run, ending: { as, notBefore: 0 } } }
}

/** What the history shows of a request hides that it is to be undone. */
const UNDO_UNSEEN: Removal = both(
  starting((decide) => (record, request, now) => {
    const { history } = request
    const deadRun = history?.deadRun && { ...history.deadRun, undo: undefined }
    return decide(record, { ...request, history: history && { ...history, deadRun } }, now)
  }),
  seeing((record) =>
    record.last?.as === 'undone' ? { ...record, last: { ...record.last, as: 'dead' } } : record,
  ),
)

const NOT_ENDING: Removal = seeing((record) =>
  record.run === undefined ? record : { ...record, run: { ...record.run, ending: undefined } },
)

/** A redrive that has begun is taken for one that has not reopened the run, and may still do so. */
const WITHOUT_RAISE: Removal = (protocol) => ({
  ...protocol,
  planUndoDead: (dead) => {
    const plan = protocol.planUndoDead(dead)
    return plan.kind === 'change' && plan.effect.kind === 'send'
      ? { ...plan, effect: { ...plan.effect, before: undefined } }
      : plan
  },
})

function withoutMark({ addTo: _mark, where, ...update }: Update): Update {
  return { ...update, where: where.filter((one) => !('lacks' in one)) }
}

/** The counter-examples of the protocol, and the conditions of its writes. */
export const UNDO_MUTATIONS: readonly Mutation[] = [
  {
    name: 'undo: superseded in one write',
    removal: IN_ONE_WRITE,
    scenario: 'undo: superseded, one stage',
    breaks: 'U8',
  },
  {
    name: 'undo: a start over a run without marks does not say so',
    removal: dropping(/^starts/, /^applied$/),
    scenario: 'undo: superseded, one stage',
    breaks: 'U8',
  },
  {
    name: 'undo: kept before the fence',
    removal: WITHOUT_FENCE,
    scenario: 'undo: superseded, one stage',
    breaks: 'R2',
  },
  {
    name: 'undo: the fence leaves the attempts alive',
    removal: leaving(/^fences it/, STAGES),
    scenario: 'undo: superseded, one stage',
    breaks: 'R2',
  },
  {
    name: 'undo: stages begin in an ending run',
    removal: NOT_ENDING,
    scenario: 'undo: superseded',
    breaks: 'R2',
  },
  {
    name: 'undo: the fence of an ending run is not raised',
    removal: leaving(/^fences it/, /^fence$/),
    scenario: 'undo: superseded',
    breaks: 'R2',
  },
  {
    name: 'undo: does not wait for the lease',
    removal: following({ undo: 'at once' }),
    scenario: 'undo: superseded, with an outside call',
    breaks: 'U7',
  },
  {
    name: 'undo: the start of a call is not stored',
    removal: following({ undo: 'untraced' }),
    scenario: 'undo: superseded, with an outside call',
    change: { stages: { A: [{ effect: 'a' }, { call: 'pay', as: 'repeat' }] } },
    breaks: 'U8',
    long: true,
  },
  {
    name: 'undo: its end is noted after it has settled',
    removal: following({ undo: 'settled first' }),
    scenario: 'undo: superseded, one stage',
    breaks: 'U9',
  },
  {
    name: 'undo: no marks of its own',
    removal: both(following({ undo: 'unmarked' }), rewriting(/^undo$/, withoutMark)),
    scenario: 'undo: superseded, one stage',
    breaks: 'U2',
  },
  {
    name: 'undo: no sweeper',
    removal: following({ sweeper: 'none' }),
    scenario: 'undo: superseded, one stage',
    breaks: 'U8',
  },
  {
    name: 'undo: an undone request is redriven',
    removal: UNDO_UNSEEN,
    scenario: 'undo: dead, redriven, superseded',
    breaks: 'L1',
    long: true,
  },
  {
    name: 'undo: a redrive does not tell the undo of dead runs',
    removal: replacing({ reopening: () => undefined }),
    scenario: 'undo: dead, redriven or undone',
    change: { faults: 0 },
    breaks: 'U3',
  },
  {
    name: 'undo: a redrive does not look for the undo of dead runs',
    removal: dropping(/^begins to reopen/, /^undo$/),
    scenario: 'undo: dead, redriven or undone',
    change: { faults: 0 },
    breaks: 'U3',
  },
  {
    name: 'undo: a slow redrive writes over the end of a faster one',
    removal: dropping(/^begins to reopen/, /^reopened$/),
    scenario: 'undo: dead, redriven or undone',
    change: { faults: 1, limit: 200_000 },
    breaks: 'U3',
    slow: true,
  },
  {
    name: 'undo: of a dead run, though a redrive has begun',
    removal: dropping(/^asks to undo the dead/, /^reopened$/),
    scenario: 'undo: dead, redriven or undone',
    change: { faults: 0 },
    breaks: 'U3',
  },
  {
    name: 'undo: of a dead run, a redrive that has begun is not fenced',
    removal: WITHOUT_RAISE,
    scenario: 'undo: dead, redriven or undone',
    change: { faults: 0 },
    breaks: 'U3',
  },
  {
    name: 'undo: of a dead run, whose reopened run does not note its end',
    removal: ending(({ close: _close, ...end }) => end),
    scenario: 'undo: dead, redriven or undone',
    change: { faults: 0 },
    breaks: 'U3',
  },
  {
    name: 'undo: the fence does not compare the stages',
    removal: dropping(/^fences it/, STAGES),
    scenario: 'undo: superseded',
    breaks: undefined,
    because:
      'a stage that settles meanwhile leaves its marks on the record, and the fence is compared',
  },
]
