import type { RunReference } from '../record/envelope/envelope.ts'
import type { FailedAttempt, Hold } from '../claim/hold.ts'
import { ancestorsOf } from '../claim/stage/ancestors.ts'
import { holdStage } from '../claim/stage/heldStage.ts'
import { confirmTicket, release, waitUntil, writeTicket } from '../claim/stage/retryStage.ts'
import type { StageRecord } from '../claim/stage/stageRecord.ts'
import { type Grip, type GripParts, lostBy, openIn, write } from './stageClaimState.ts'
import { stageCalls } from './outsideCalls.ts'
import { buryOf, dieOf, letterOf, settle } from './stageTransitions.ts'
import { stageMarks } from './appliedEffects.ts'

export interface StageHold extends Hold {
  readonly stage: string
  readonly key: string
  /** Of the request that runs. */
  readonly uniqueRequestId: string
  readonly epoch: number
  /** Version of the request, epoch milliseconds. */
  readonly sentAt: number
  readonly recordPk: string
  readonly giveUpAt: number
  /** Stages and steps that this one has handed on to: the run lives until they have settled. */
  readonly passedTo: Set<string>
  /** Stages and steps that it has come from: they have settled, and run once. */
  readonly ancestors: ReadonlySet<string>
  /** Whether the record shows the stage as this attempt's own. */
  holds(record: StageRecord): boolean
}

/** The claim of a running attempt on a stage, as the record shows it. */
export function stageHold(parts: GripParts): StageHold {
  const { record, run, stage, entry } = parts.held
  const grip: Grip = { ...parts, error: undefined, reason: undefined, passedTo: new Set() }
  const ticket = entry.status === 'open' ? entry.ticket : 0
  // The confirmation finds the retry only by what its ticket has written.
  let counted = entry.attempt
  const countedBy = ({ counts }: FailedAttempt): number => entry.attempt - (counts ? 0 : 1)
  return {
    attempt: entry.attempt,
    ticket,
    stage,
    key: parts.key,
    uniqueRequestId: run.uniqueRequestId,
    epoch: record.epoch,
    sentAt: parts.sentAt,
    recordPk: record.key.pk,
    giveUpAt: run.giveUpAt,
    notAfter: run.giveUpAt,
    passedTo: grip.passedTo,
    ancestors: ancestorsOf(run.stages, stage),
    holds: (now) => holdStage(now, stage, entry.attemptId)?.entry.status === 'open',
    fields: {
      uniquerequestid: run.uniqueRequestId,
      key: parts.key,
      stage,
      epoch: record.epoch,
      attempt: entry.attempt,
    },
    marks: stageMarks(grip),
    calls: stageCalls({
      store: parts.store,
      first: parts.first,
      held: () => openIn(grip),
      note: (held) => {
        grip.held = held
      },
      keepUntil: () => {
        const { now, retention } = parts.closing()
        return now + retention
      },
    }),
    settle: (end) => {
      const passedTo = end === 'stale' ? [] : [...grip.passedTo]
      return settle(grip, passedTo.length === 0, passedTo)
    },
    writeTicket: (next, notBefore, end) => {
      counted = countedBy(end)
      return write(grip, writeTicket(openIn(grip), next, notBefore, counted))
    },
    confirmTicket: async (next, notBefore) => {
      await parts.commit(confirmTicket(openIn(grip), next, notBefore, counted))
    },
    waitUntil: (notBefore, end) => write(grip, waitUntil(openIn(grip), notBefore, countedBy(end))),
    release: async () => {
      await parts.commit(release(openIn(grip)))
    },
    startDeadLettering: (death) => dieOf(grip, death),
    letter: () => letterOf(grip),
    bury: () => buryOf(grip),
    judgeLoss: async () => lostBy(grip, await parts.store.read(record.key)),
  }
}

/** What a message has to carry to go on in the same run. */
export function carriedBy(hold: StageHold, flow: string, from: string = hold.stage): RunReference {
  const { key, uniqueRequestId, epoch, sentAt } = hold
  return { name: flow, key, id: uniqueRequestId, epoch, sentAt, from }
}
