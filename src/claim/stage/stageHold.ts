import { continuableUntil, keptForRun } from '../../base/limits/lifetime.ts'
import { assertRoom, roomBeside } from '../room.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import {
  type AppliedEffects,
  type FailedAttempt,
  type Hold,
  type OutsideCalls,
  STARTED,
  superseded,
} from '../hold.ts'
import {
  explainRefusedWrite,
  holdStage,
  type HeldStage,
  addStageEffect,
  checkStageOwned,
  isApplied,
  namesOfStage,
  withEffect,
  answerItem,
  answerKey,
  callState,
  markNotDone,
  markStarted,
} from './heldStage.ts'
import { resentEntry, releasedEntry, waitingEntry, resendingEntry } from './endAttempt.ts'
import type { StageRecord } from './stageRecord.ts'
import {
  type StageClaimState,
  type StageClaimParts,
  explainLoss,
  openIn,
  write,
  finishStageDeath,
  startStageDeath,
  deathReport,
  settle,
} from './stageTransitions.ts'
import type { Update } from '../../store/store.ts'
import type { ItemStore } from '../itemStore.ts'
import type { StageEntry } from './stageEntry.ts'

export interface StageHold extends Hold {
  readonly stage: string
  readonly key: string
  /** Id of the request that runs the flow. */
  readonly uniqueRequestId: string
  readonly epoch: number
  /** Version of the request, epoch milliseconds. */
  readonly sentAt: number
  readonly recordPk: string
  readonly giveUpAt: number
  /** Until when everything that belongs to the run is kept, epoch milliseconds. */
  readonly keepUntil: number
  /** Stages and steps that this stage has sent messages to. The run lasts until they have settled. */
  readonly sentTo: Set<string>
  /** Stages and steps that led to this stage. They have settled, and each stage runs once. */
  readonly ancestors: ReadonlySet<string>
  /** Whether the record shows the stage as this attempt's own. */
  holds(record: StageRecord): boolean
}

/** The claim of a running attempt on a stage. */
export function stageHold(parts: StageClaimParts): StageHold {
  const { record, run, stage, entry } = parts.held
  const claimState: StageClaimState = { ...parts, death: undefined, sentTo: new Set() }
  const keepUntil = keptForRun(
    run.continuable ?? continuableUntil(run.giveUpAt, parts.closing().retention),
  )
  const resendNumber = entry.status === 'open' ? entry.resendNumber : 0
  // confirmResend compares with the entry that scheduleResend has written, which includes the number of counted attempts.
  let counted = entry.attempt
  const countedBy = ({ counts }: FailedAttempt): number => entry.attempt - (counts ? 0 : 1)
  return {
    attempt: entry.attempt,
    resendNumber,
    stage,
    key: parts.key,
    uniqueRequestId: run.uniqueRequestId,
    epoch: record.epoch,
    sentAt: parts.sentAt,
    recordPk: record.key.pk,
    run: { recordPk: record.key.pk, uniqueRequestId: run.uniqueRequestId },
    giveUpAt: run.giveUpAt,
    keepUntil,
    notAfter: run.giveUpAt,
    sentTo: claimState.sentTo,
    ancestors: ancestorsOf(run.stages, stage),
    holds: (now) => holdStage(now, stage, entry.attemptId)?.entry.status === 'open',
    fields: {
      uniquerequestid: run.uniqueRequestId,
      key: parts.key,
      stage,
      epoch: record.epoch,
      attempt: entry.attempt,
    },
    fencing: {
      subject: record.key.pk,
      request: run.uniqueRequestId,
      epoch: record.epoch,
      stage,
      fence: record.fence,
      isSurelyFirst: parts.isSurelyFirst,
    },
    effects: stageEffects(claimState),
    calls: stageOutsideCalls({
      store: parts.store,
      first: parts.first,
      traces: parts.traces,
      held: () => openIn(claimState),
      note: (held) => {
        claimState.held = held
      },
      keepUntil,
    }),
    names: () => namesOfStage(openIn(claimState)),
    settle: (end) => {
      const sentTo = end === 'stale' ? [] : [...claimState.sentTo]
      return settle(claimState, sentTo.length === 0, sentTo)
    },
    scheduleResend: (next, notBefore, end) => {
      counted = countedBy(end)
      return write(claimState, resendingEntry(openIn(claimState), next, notBefore, counted))
    },
    confirmResend: async (next, notBefore) => {
      await parts.commit(resentEntry(openIn(claimState), next, notBefore, counted))
    },
    waitUntil: (notBefore, end) =>
      write(claimState, waitingEntry(openIn(claimState), notBefore, countedBy(end))),
    release: async () => {
      await parts.commit(releasedEntry(openIn(claimState)))
    },
    startDeadLettering: (death) => startStageDeath(claimState, death),
    deathReport: () => deathReport(claimState),
    finishDeadLettering: () => finishStageDeath(claimState),
    explainLostClaim: async () => explainLoss(claimState, await parts.store.read(record.key)),
  }
}

/** What a message has to carry so that it runs in the same run. */
export function carriedFlow(
  hold: StageHold,
  flow: string,
  from: string = hold.stage,
): RunReference {
  const { key, uniqueRequestId, epoch, sentAt } = hold
  return { name: flow, key, id: uniqueRequestId, epoch, sentAt, from }
}

/** Effects in the user's tables are marks on the stage record. */
function stageEffects(claimState: StageClaimState): AppliedEffects {
  return {
    check: () => checkStageOwned(openIn(claimState)),
    mark: (name) => {
      const held = openIn(claimState)
      if (isApplied(held, name)) return undefined
      assertRoom(roomBeside(held.run.marks), name)
      return addStageEffect(held, name)
    },
    marked: (name) => {
      claimState.held = {
        ...openIn(claimState),
        run: withEffect(openIn(claimState), addStageEffect(openIn(claimState), name)).run,
      }
    },
    judge: (item, name) => {
      if (name === undefined) return 'lost'
      const standing = explainRefusedWrite(
        openIn(claimState),
        addStageEffect(openIn(claimState), name),
        item,
      )
      return standing.kind === 'written' ? 'set' : 'lost'
    },
  }
}

interface OutsideCallsParts {
  readonly store: ItemStore
  /** No earlier attempt has had the stage in this run. */
  readonly first: boolean
  held(): HeldStage
  note(held: HeldStage): void
  /** See StageHold. */
  readonly keepUntil: number
  readonly traces: OutsideCalls['traces']
}

/** The largest result, in bytes. It has an item of its own, which holds 400 KB. */
const MAX_ANSWER = 350_000

/** Outside calls of a stage: started calls are marks on the record, results are items beside it. */
export function stageOutsideCalls(parts: OutsideCallsParts): OutsideCalls {
  return {
    async stored(name) {
      const held = parts.held()
      const answer = isFirst(parts) ? undefined : await readAnswer(parts, name)
      return answer ?? (callState(held, name).kind === 'inDoubt' ? STARTED : undefined)
    },
    async store(name, value, _before) {
      if (value === STARTED) return start(parts, name)
      const stands = await keep(parts, name, value)
      return stands === value ? undefined : stands
    },
    async forget(name) {
      const held = parts.held()
      const state = callState(held, name)
      if (state.kind === 'inDoubt') await mark(parts, markNotDone(held, name, state.nth))
    },
    ...(parts.traces && { traces: parts.traces }),
    takeBytes: () => MAX_ANSWER,
    assertRoom: (name) => assertRoom(roomBeside(parts.held().run.marks), name),
  }
}

/** No earlier attempt can have made a call, so nothing has to be read. */
function isFirst({ first, held }: OutsideCallsParts): boolean {
  return first && !held().run.reopened
}

async function readAnswer(parts: OutsideCallsParts, name: string): Promise<string | undefined> {
  const read = await parts.store.read(answerKey(parts.held(), name))
  if (read.kind === 'failed') throw read.error
  const answer = read.item?.['answer']
  return typeof answer === 'string' ? answer : undefined
}

/** @returns the stored text, when an earlier attempt has started the call */
async function start(parts: OutsideCallsParts, name: string): Promise<string | undefined> {
  const held = parts.held()
  const state = callState(held, name)
  if (state.kind === 'inDoubt') return STARTED
  // Calls that began side by side have seen the same room.
  assertRoom(roomBeside(held.run.marks), name)
  await mark(parts, markStarted(held, name, state.kind === 'never' ? 1 : state.nth + 1))
  return undefined
}

/** Stores the result, unless one is stored already: the first result stays. */
async function keep(parts: OutsideCallsParts, name: string, answer: string): Promise<string> {
  const item = answerItem(parts.held(), name, answer, parts.keepUntil)
  const outcome = await parts.store.create(item)
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'applied') return answer
  const stands = outcome.item?.['answer']
  return typeof stands === 'string' ? stands : answer
}

async function mark(parts: OutsideCallsParts, update: Update): Promise<void> {
  const held = parts.held()
  const outcome = await parts.store.update({ ...update, needsNoItem: true })
  if (outcome.kind === 'failed') throw outcome.error
  const landed =
    outcome.kind === 'applied' || explainRefusedWrite(held, update, outcome.item).kind === 'written'
  if (!landed) throw superseded(held.entry.attempt, held.run.uniqueRequestId)
  parts.note(withEffect(parts.held(), update))
}

/** The stages that led to `stage`: each of them had settled before the next one began. */
export function ancestorsOf(
  stages: ReadonlyMap<string, StageEntry>,
  stage: string,
): ReadonlySet<string> {
  const found = new Set<string>()
  const left = [stage]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const [name, entry] of stages) {
      if (entry.status !== 'settled' || !entry.sentTo.includes(next) || found.has(name)) continue
      found.add(name)
      left.push(name)
    }
  }
  return found
}
