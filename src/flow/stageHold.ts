import type { CarriedFlow } from '../envelope/envelope.ts'
import type { Death, Hold, Left, Letter, Marks, Over } from '../hold/hold.ts'
import type { Closing } from '../stage/endRun.ts'
import { type Held, holdStage, judgeStanding } from '../stage/held.ts'
import { buryStage, type Leaving, settleStage } from '../stage/leaveStage.ts'
import { checkHeld, isApplied, markApplied, withMark } from '../stage/marks.ts'
import { confirmTicket, die, release, waitUntil, writeTicket } from '../stage/retryStage.ts'
import type { DeathReason, DyingEntry } from '../stage/stageEntry.ts'
import { readStageRecord, type StageRecord } from '../stage/stageRecord.ts'
import type { Verdict } from '../stage/verdict.ts'
import type { ReadOutcome, Update, WriteOutcome } from '../store/store.ts'
import { carryOut } from './ending.ts'
import { stageCalls } from './stageCalls.ts'
import type { StageStore } from './stageStore.ts'

export interface StageHoldParts {
  readonly held: Held | Held<DyingEntry>
  readonly key: string
  readonly sentAt: number
  readonly store: StageStore
  /** Fenced writes of the end, gathered with those of other records. */
  commit(update: Update): Promise<WriteOutcome>
  /** What the message may do now, as if it had just come. */
  decide(record: StageRecord | undefined): Verdict
  closing(error?: string): Closing
  /** Why it is buried when it never ran. */
  readonly refusal: Death
}

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
}

/** The claim of a running attempt on a stage, as the record shows it. */
export function stageHold(parts: StageHoldParts, stageEnds: boolean): StageHold {
  const { record, run, stage, entry } = parts.held
  const mine: Mine = { ...parts, error: undefined, reason: undefined, passedTo: new Set() }
  const ticket = entry.status === 'open' ? entry.ticket : 0
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
    passedTo: mine.passedTo,
    fields: {
      uniquerequestid: run.uniqueRequestId,
      key: parts.key,
      stage,
      epoch: record.epoch,
      attempt: entry.attempt,
    },
    marks: marksOf(mine),
    calls: stageCalls({
      store: parts.store,
      held: () => open(mine),
      note: (held) => {
        mine.held = held
      },
      keepUntil: () => {
        const { now, retention } = parts.closing()
        return now + retention
      },
    }),
    settle: (end) => {
      const passedTo = end === 'stale' ? [] : [...mine.passedTo]
      const ends = stageEnds || passedTo.length === 0
      return leave(
        mine,
        (closing) => settleStage(open(mine), { ends, passedTo }, closing),
        'duplicate',
      )
    },
    writeTicket: (next, notBefore) => write(mine, writeTicket(open(mine), next, notBefore)),
    confirmTicket: async (next, notBefore) => {
      await parts.commit(confirmTicket(open(mine), next, notBefore))
    },
    waitUntil: (notBefore) => write(mine, waitUntil(open(mine), notBefore)),
    release: async () => {
      await parts.commit(release(open(mine)))
    },
    die: (death) => dieOf(mine, death),
    letter: () => letterOf(mine),
    bury: () => buryOf(mine),
    judgeLoss: async () => lostBy(mine, await parts.store.read(record.key)),
  }
}

/** What a message has to carry to go on in the same run. */
export function carriedBy(hold: StageHold, flow: string): CarriedFlow {
  const { key, uniqueRequestId, epoch, sentAt, stage } = hold
  return { name: flow, key, id: uniqueRequestId, epoch, sentAt, from: stage }
}

interface Mine extends StageHoldParts {
  held: Held | Held<DyingEntry>
  error: string | undefined
  reason: string | undefined
  readonly passedTo: Set<string>
}

function open({ held }: Mine): Held {
  const { entry } = held
  if (entry.status !== 'open') throw new Error('the stage is not open')
  return { ...held, entry }
}

function dying({ held }: Mine): Held<DyingEntry> {
  const { entry } = held
  if (entry.status !== 'dying') throw new Error('the stage is not dying')
  return { ...held, entry }
}

function marksOf(mine: Mine): Marks {
  return {
    check: () => checkHeld(open(mine)),
    mark: (name) => (isApplied(open(mine), name) ? undefined : markApplied(open(mine), name)),
    marked: (name) => {
      mine.held = { ...open(mine), run: withMark(open(mine), markApplied(open(mine), name)).run }
    },
    judge: (item, name) => {
      if (name === undefined) return 'lost'
      const standing = judgeStanding(open(mine), markApplied(open(mine), name), item)
      return standing.kind === 'landed' ? 'set' : 'lost'
    },
  }
}

/** A rival stage that settles between look and write costs a round. */
const ROUNDS = 8

/** The last one out ends the run; who that is may change until the write holds. */
async function leave(
  mine: Mine,
  decide: (closing: Closing) => Leaving,
  ended: Over,
): Promise<Left> {
  for (let round = 0; round < ROUNDS; round++) {
    const leaving = decide(mine.closing(mine.error))
    const outcome = await carry(mine, leaving)
    if (outcome.kind === 'failed') return outcome
    if (outcome.kind === 'applied') return { kind: 'written' }
    const update = leaving.kind === 'leave' ? leaving.update : leaving.ending.reset
    const standing = judgeStanding(mine.held, update, outcome.item)
    if (standing.kind === 'landed') return { kind: 'written' }
    if (standing.kind !== 'mine') {
      const left = lostBy(mine, { kind: 'found', item: outcome.item })
      // The answer to the very write was lost: the run has ended as it was to end.
      return left.kind === 'lost' && left.over === ended ? { kind: 'written' } : left
    }
    refresh(mine, standing.record)
  }
  return { kind: 'failed', error: new Error('other stages changed the record all the time') }
}

function carry(mine: Mine, leaving: Leaving): Promise<WriteOutcome> {
  return leaving.kind === 'leave'
    ? mine.commit(leaving.update)
    : carryOut({ ...mine.store, update: (update) => mine.commit(update) }, leaving.ending)
}

function refresh(mine: Mine, record: StageRecord): void {
  if (record.run === undefined) return
  mine.held = { ...mine.held, record, run: record.run }
}

async function write(mine: Mine, update: Update): Promise<Left> {
  const outcome = await mine.commit(update)
  if (outcome.kind === 'failed') return outcome
  if (outcome.kind === 'applied') return { kind: 'written' }
  const standing = judgeStanding(mine.held, update, outcome.item)
  return standing.kind === 'landed'
    ? { kind: 'written' }
    : lostBy(mine, { kind: 'found', item: outcome.item })
}

/** Another attempt may have the stage, and may die: only the flow itself can end this message. */
function lostBy(mine: Mine, seen: ReadOutcome): Left {
  if (seen.kind === 'failed') return seen
  const record = seen.item === undefined ? undefined : readStageRecord(seen.item)
  if (seen.item !== undefined && record === undefined) return { kind: 'lost', over: undefined }
  const verdict = mine.decide(record)
  return { kind: 'lost', over: verdict.kind === 'over' ? verdict.as : undefined }
}

/** From `die` on no mark can be added: what the record shows now is what is parked, or a redrive would repeat an effect. */
async function buryOf(mine: Mine): Promise<Left> {
  const { record, stage, entry } = mine.held
  const read = await mine.store.read(record.key)
  if (read.kind === 'failed') return read
  const now = read.item && readStageRecord(read.item)
  const held = now && holdStage(now, stage, entry.attemptId)
  if (held?.entry.status !== 'dying') return lostBy(mine, read)
  mine.held = { ...held, entry: held.entry }
  return leave(mine, (closing) => buryStage(dying(mine), closing), 'dead')
}

const REASONS: Readonly<Record<string, DeathReason>> = {
  rejected: 'refused',
  'too old': 'expired',
  terminal: 'terminal',
  unknown: 'unknown',
}
const TOLD: Readonly<Record<DeathReason, string>> = {
  refused: 'rejected',
  expired: 'too old',
  terminal: 'terminal',
  unknown: 'unknown',
  exhausted: 'exhausted',
  abandoned: 'abandoned',
}

async function dieOf(mine: Mine, death: Death): Promise<Left> {
  const held = open(mine)
  const reason = REASONS[death.reason] ?? 'exhausted'
  const left = await write(mine, die(held, reason))
  const { attemptId, attempt, leaseUntil } = held.entry
  mine.held = { ...held, entry: { status: 'dying', attemptId, attempt, leaseUntil, reason } }
  mine.error = death.error
  mine.reason = death.reason
  return left
}

function letterOf(mine: Mine): Letter {
  const { record, entry } = dying(mine)
  const { refusal } = mine
  const error =
    mine.error ??
    (entry.reason === 'refused'
      ? refusal.error
      : `the last of ${entry.attempt} attempts ended without an answer (killed or timed out)`)
  const reason = mine.reason ?? TOLD[entry.reason]
  return { reason, error, attempts: entry.attempt, death: record.epoch }
}
