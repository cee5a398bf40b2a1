import { decideAnswer } from '../../../../src/library/protocol/claim/awaiting/decideAnswer.ts'
import { decideAbandon } from '../../../../src/library/protocol/claim/stage/abandonRun.ts'
import type { StageVerdict } from '../../../../src/library/protocol/claim/stage/verdict.ts'
import type { Update } from '../../../../src/library/protocol/store/store.ts'
import {
  asking,
  ENDS,
  hasty,
  judging,
  ONE,
  seeing,
  seeingStages,
  staging,
  starting,
  withoutCondition,
  withStages,
} from './alterations.ts'
import type { Mutation } from './mutation.ts'
import type { Op } from './op.ts'
import { both, dropping, following, type Removal, replacing, rewriting } from './removals.ts'

/** When an operator redrives it, the sender is not checked. */
const NOT_AFTER: Removal = both(
  starting(
    (decide) => (record, request, now) =>
      decide(record, request.death === undefined ? request : { ...request, after: undefined }, now),
  ),
  staging(
    (decide) => (record, request, now) =>
      decide(record, request.death === undefined ? request : { ...request, after: undefined }, now),
  ),
)

/** Any dead letter passes for that of the last death. */
const ANY_DEATH: Removal = both(
  starting((decide) => (record, request, now) => {
    const entry = (record?.run ?? request.history?.deadRun)?.stages.get(request.stage)
    const death = entry?.status === 'dead' ? entry.epoch : request.death
    return decide(record, request.death === undefined ? request : { ...request, death }, now)
  }),
  staging((decide) => (record, request, now) => {
    const entry = (record?.run ?? request.history?.deadRun)?.stages.get(request.stage)
    const death = entry?.status === 'dead' ? entry.epoch : request.death
    return decide(record, request.death === undefined ? request : { ...request, death }, now)
  }),
)

/** Overwrites the stored item. */
function overwriting(label: string): Removal {
  const change = (op: Op): Op =>
    op.op === 'create' && op.label === label ? { ...op, replaces: true } : op
  return (protocol) => ({ ...protocol, rewrite: (op) => change(protocol.rewrite(op)) })
}

function withoutLastCondition(update: Update): Update {
  return { ...update, where: update.where.slice(0, -1) }
}

function noOrphan(
  verdict: StageVerdict,
  { death }: { readonly death: number | undefined },
): StageVerdict {
  return verdict.kind === 'abandonedMessage' && death !== undefined
    ? { kind: 'over', as: 'alreadyDeadLettered' }
    : verdict
}

/** As for a message that no attempt has started: it is refused, and its run stays. */
const UNBURIED: Removal = starting((decide) => (record, request, now) => {
  const verdict = decide(record, request, now)
  return verdict.kind === 'deadLetter' && verdict.because === 'rejected'
    ? { kind: 'refuse', because: 'rejected' }
    : verdict
})

/** An eventually consistent read, of items that were written a moment ago. */
const BEHIND: Removal = (protocol) => ({
  ...protocol,
  rewrite: (op) => {
    const asked = protocol.rewrite(op)
    return asked.op === 'read' && asked.label === 'looks it up' ? { ...asked, behind: true } : asked
  },
})

/** Judged by its number alone, as a copy is. */
const REPLACED: Removal = starting((decide) => (record, request, now) => {
  const entry = record?.run?.stages.get(request.stage)
  const older = entry?.status === 'retry' && entry.sent && request.resendNumber < entry.resendNumber
  return older ? { kind: 'replaced' } : decide(record, request, now)
})

const NO_GRACE: Removal = replacing({ decideEarly: () => ({ kind: 'over' }) })

/** What the specification does not list, or leaves open. */
export const FURTHER: readonly Mutation[] = [
  {
    name: 'a stage does not wait for the one that handed on',
    removal: asking({ after: undefined }),
    scenario: 'stages overwrite one object',
    breaks: 'S3',
  },
  {
    name: 'an answer does not wait for the stage that asked',
    removal: asking({ after: undefined }),
    scenario: 'an answer before its asker has settled',
    breaks: 'S3',
  },
  {
    name: 'a redriven stage does not wait for the one that handed on',
    removal: NOT_AFTER,
    scenario: 'stages overwrite one object, both redriven',
    change: { maxAttempts: 1 },
    breaks: 'S3',
    slow: true,
  },
  {
    name: 'a stage is revived before the one that handed on',
    removal: NOT_AFTER,
    scenario: 'a payload is refused, and redriven',
    breaks: 'S3',
    long: true,
  },
  {
    name: 'a refused copy leaves its run, and its dead letter is replaced',
    removal: both(UNBURIED, REPLACED),
    scenario: 'a deployment refuses a copy, and it is redriven',
    breaks: 'T4',
  },
  {
    name: 'every: a refused copy leaves its run, and its dead letter is replaced',
    removal: both(UNBURIED, REPLACED),
    scenario: 'every, a deployment refuses a copy, and it is redriven',
    breaks: 'T4',
  },
  {
    name: 'a message of a record that is gone passes for one that is too old',
    removal: asking({ young: false }),
    scenario: 'the table is restored',
    breaks: 'N1',
  },
  {
    name: 'a message runs though no stage has sent it',
    removal: asking({ after: undefined }),
    scenario: 'a message is forged',
    breaks: 'V1',
  },
  {
    name: 'what was parked is read a second behind',
    removal: BEHIND,
    scenario: 'dead-letter and redrive',
    breaks: 'T1',
  },
  {
    name: 'a dead letter of any death reopens a request',
    removal: ANY_DEATH,
    scenario: 'dead-letter and redrive',
    change: { stages: ONE, faults: 0, maxAttempts: 1 },
    breaks: 'D1',
  },
  {
    name: 'a run ends without the fence',
    removal: dropping(ENDS, /^fence$/),
    scenario: 'fork and join, 3 invocations',
    breaks: 'U1',
  },
  {
    name: 'who leaves does not make sure that the run is open',
    removal: rewriting(/^(settles|buries)$/, withoutLastCondition),
    scenario: 'fork and join, 3 invocations',
    breaks: 'I2',
    long: true,
  },
  {
    name: 're-sends without a condition',
    removal: rewriting(/^writes resend/, withoutCondition),
    scenario: 'one request, errors',
    breaks: 'B1',
  },
  {
    name: 'confirmations without a condition',
    removal: rewriting(/^confirms/, withoutCondition),
    scenario: 'one request, errors',
    breaks: 'B1',
  },
  {
    name: 'dies without a condition',
    removal: rewriting(/^is dying/, withoutCondition),
    scenario: 'dead-letter and redrive',
    breaks: 'R2',
  },
  {
    name: 'a copy that was not confirmed replaces older ones',
    removal: seeingStages((entry) => (entry.status === 'retry' ? { ...entry, sent: true } : entry)),
    scenario: 'one request, errors',
    breaks: 'I2',
  },
  {
    name: 'a retry does not wait for its time',
    removal: both(starting(hasty), staging(hasty)),
    scenario: 'retry with notBefore, defer',
    breaks: 'W1',
  },
  {
    name: 'starts without a condition',
    removal: rewriting(/^starts/, withoutCondition),
    scenario: 'newest defer',
    breaks: 'E1',
    slow: true,
  },
  {
    name: 'claims of a stage without a condition',
    removal: rewriting(/^(begins|takes over)/, withoutCondition),
    scenario: 'newest supersede',
    breaks: 'B1',
  },
  {
    name: 'own mark may be set twice',
    removal: dropping(/^effect/, /^applied$/),
    scenario: 'newest defer',
    breaks: 'E1',
  },
  {
    name: 'an older request supersedes',
    removal: seeing((record) => ({ ...record, newest: undefined })),
    scenario: 'newest supersede',
    breaks: 'R2',
  },
  {
    name: 'refusals written without a condition',
    removal: rewriting(/^records/, withoutCondition),
    scenario: 'newest drop, 3 requests',
    breaks: 'L1',
  },
  {
    name: 'coalesce: the newest is acknowledged too',
    removal: judging((verdict) =>
      verdict.kind === 'wait' ? { kind: 'over', as: 'coalesced' } : verdict,
    ),
    scenario: 'newest coalesce',
    breaks: 'N2',
  },
  {
    name: 'every: who finds the flow busy is acknowledged',
    removal: judging((verdict) => (verdict.kind === 'busy' ? { kind: 'replaced' } : verdict)),
    scenario: 'every defer, 3 requests',
    breaks: 'I1',
  },
  {
    name: 'a death is parked after the reset',
    removal: following({ ending: 'reset, then remember' }),
    scenario: 'dead-letter and redrive',
    breaks: 'T3',
  },
  {
    name: 'every: receipts written after the reset',
    removal: following({ ending: 'reset, then remember' }),
    scenario: 'every defer, late duplicates of the forgotten',
    change: { faults: 1, ages: 0 },
    breaks: 'L1',
  },
  {
    name: 'a parking that lands late replaces a newer one',
    removal: rewriting(/^parks again/, withoutCondition),
    scenario: 'dead-letter and redrive',
    change: {
      stages: { A: [{ effect: 'a' }, { effect: 'b' }] },
      maxAttempts: 1,
      errors: 3,
      redrives: 3,
    },
    breaks: 'D1',
    slow: true,
  },
  {
    name: 'what was left of a request given up is dropped',
    removal: judging((verdict) =>
      verdict.kind === 'abandonedMessage' ? { kind: 'over', as: 'alreadyDeadLettered' } : verdict,
    ),
    scenario: 'sweeper and redrive',
    breaks: 'T3',
  },
  {
    name: 'the sweeper gives up on a live attempt',
    removal: replacing({
      decideAbandon: (record, closing) =>
        decideAbandon(
          withStages(record, (entry) =>
            entry.status === 'open' || entry.status === 'dying'
              ? { ...entry, leaseUntil: 0 }
              : entry,
          ),
          closing,
        ),
    }),
    scenario: 'sweeper against a live attempt',
    breaks: undefined,
    because:
      'its write fences the attempt: a request dies that might have succeeded, and its dead letter reopens it',
  },
  {
    name: 'the sweeper fences without a condition',
    removal: rewriting(/^abandons/, withoutCondition),
    scenario: 'sweeper against a live attempt',
    breaks: 'U1',
  },
  {
    name: 'the sweeper writes over a stage that settled meanwhile',
    removal: dropping(/^abandons/, /^stage:/),
    scenario: 'fork, a message outlives the run that sent it',
    breaks: 'T3',
  },
  {
    name: 'a dead letter that was redriven and given up is dropped',
    removal: both(
      starting(
        (decide) => (record, request, now) => noOrphan(decide(record, request, now), request),
      ),
      staging(
        (decide) => (record, request, now) => noOrphan(decide(record, request, now), request),
      ),
    ),
    scenario: 'fork, a message outlives the run that sent it',
    breaks: 'T2',
  },
  {
    name: 'a redriven run does not take what was on its way',
    removal: seeing((record) =>
      record.run === undefined ? record : { ...record, run: { ...record.run, reopened: false } },
    ),
    scenario: 'fork, a message outlives the run that sent it',
    breaks: 'T3',
  },
  {
    name: 'an outside call in doubt is made again',
    removal: replacing({ callState: () => ({ kind: 'never' }) }),
    scenario: 'outside call with stop',
    breaks: 'C1',
  },
  {
    name: 'no START before an outside call',
    removal: rewriting(/^notes START/, ({ addTo: _mark, ...update }) => update),
    scenario: 'outside call with stop',
    breaks: 'C1',
  },
  {
    name: 'awaiting: the question before the step, and no grace',
    removal: both(following({ question: 'before it' }), NO_GRACE),
    scenario: 'awaits one answer',
    breaks: 'I2',
  },
  {
    name: 'awaiting: a step saved again is written over',
    removal: overwriting('saves the step'),
    scenario: 'awaits all of two',
    breaks: 'I2',
  },
  {
    name: 'awaiting: any answer is accepted',
    removal: rewriting(/^accepts/, withoutCondition),
    scenario: 'awaits, the answers contradict',
    breaks: 'A1',
  },
  {
    name: 'awaiting: two answers at once count as one',
    removal: dropping(/^accepts/, /^count$/),
    scenario: 'awaits all of two',
    breaks: 'I2',
  },
  {
    name: 'awaiting: a join does not ask how many it needs',
    removal: both(
      replacing({
        decideAnswer: (awaiting, answer) =>
          decideAnswer(awaiting && { ...awaiting, need: 1 }, answer),
      }),
      dropping(/^accepts/, /^need$/),
    ),
    scenario: 'awaits 2 of 3',
    breaks: 'J1',
  },
  {
    name: 'awaiting: an answer that was counted does not go on',
    removal: replacing({
      decideAnswer: (awaiting, answer) => {
        const completion = decideAnswer(awaiting, answer)
        return completion.kind === 'continue' ? { kind: 'over', receipt: 'duplicate' } : completion
      },
    }),
    scenario: 'awaits one answer',
    breaks: 'I2',
  },
  {
    name: 'awaiting: the timeout goes over an answer',
    removal: rewriting(/^expires/, withoutCondition),
    scenario: 'awaits, the timeout against an answer',
    change: { ages: 0 },
    breaks: 'A1',
  },
  {
    name: 'awaiting: an answer goes over the timeout',
    removal: dropping(/^accepts/, /^joinedBy$/),
    scenario: 'awaits, the timeout against an answer',
    change: { ages: 0 },
    breaks: 'A1',
    long: true,
  },
  {
    name: 'awaiting: the question before the step is saved',
    removal: following({ question: 'before it' }),
    scenario: 'awaits one answer',
    breaks: undefined,
    because: 'an answer ahead of its step waits for the grace time',
  },
  {
    name: 'awaiting: no grace time',
    removal: NO_GRACE,
    scenario: 'awaits one answer',
    breaks: undefined,
    because: 'the step is saved before the question goes out',
  },
]
