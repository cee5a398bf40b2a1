import type {
  StageRequest,
  StartRequest,
} from '../../../../src/library/protocol/claim/stage/stageMessage.ts'
import { holdStage } from '../../../../src/library/protocol/claim/stage/heldStage.ts'
import { type HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import type { RequestHistory } from '../../../../src/library/protocol/claim/stage/requestHistory.ts'
import type { StageEnding } from '../../../../src/library/protocol/claim/stage/endAttempt.ts'
import type { DyingEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import {
  readStageRecord,
  type StageRecord,
} from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { StageVerdict } from '../../../../src/library/protocol/claim/stage/verdict.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { acknowledged, closingAt, endingOps, KEY, type Scene, stays } from './ends.ts'
import type { Op } from './op.ts'
import type { Micro, Pc } from './pc.ts'
import type { Protocol } from './protocol.ts'
import type { Scenario } from './scenario.ts'
import { addressOf, type Job, type State, type Worker } from './state.ts'

/** Milliseconds of five digits, of which only the order matters (see keyOf). */
export const NOON = 10_000
/** Longer than any pause before a retry. */
export const PAUSE = 10
/** Longer than any lease. */
export const LONG = 1_000
/** Longer than the time limit of any request. */
export const AGE = 30_000
const [NOT_BEFORE, LEASE, TIME_TO_LIVE] = [5, 500, 20_000]

export function leaseFrom(now: number): number {
  return now + LEASE
}

export function firstStage({ stages }: Scenario): string {
  return Object.keys(stages)[0] ?? ''
}

export function sentAtOf({ requests }: Scenario, uid: string): number {
  return requests.find((request) => request.uid === uid)?.sentAt ?? 0
}

export function recordIn({ items }: State): StageRecord | undefined {
  const item = items.get(addressOf(KEY))
  return item === undefined ? undefined : readRecord(item)
}

const records = new WeakMap<Item, StageRecord>()

export function readRecord(item: Item): StageRecord {
  const known = records.get(item)
  if (known !== undefined) return known
  const record = readStageRecord(item)
  if (record === undefined) throw new Error(`cannot read ${JSON.stringify(item)}`)
  records.set(item, record)
  return record
}

export function requestOf(
  { scenario, state }: Scene,
  worker: Worker,
  history: RequestHistory | undefined,
): StartRequest & StageRequest {
  const { job, id, leaseUntil } = worker
  const begins = job.death === undefined ? NOON : state.clock
  return {
    ...job,
    after: job.after === '' ? undefined : job.after,
    uniqueRequestId: job.uid,
    attemptId: id,
    leaseUntil,
    maxAttempts: scenario.maxAttempts,
    giveUpAt: begins + TIME_TO_LIVE,
    refused: isRefused(scenario, job),
    history,
    seen: job.epoch,
    young: true,
    fifo: false,
    sentAt: sentAtOf(scenario, job.uid),
    process: scenario.process,
    onConflict: scenario.onConflict,
    failures: scenario.reports ? 'https://queue/failures' : undefined,
  }
}

function isRefused(
  { refuses, refusesRetries }: Scenario,
  { stage, resendNumber, death }: Job,
): boolean {
  return death === undefined && (stage === refuses || (refusesRetries && resendNumber > 0))
}

/** A message is judged by the record as it is now. */
export function decide(
  scene: Scene,
  worker: Worker,
  record: StageRecord | undefined,
  known?: RequestHistory,
): Pc {
  return act(scene, worker, verdictOf(scene, worker, record, known), record)
}

export function verdictOf(
  scene: Scene,
  worker: Worker,
  record: StageRecord | undefined,
  known?: RequestHistory,
): StageVerdict {
  const { protocol, scenario } = scene
  const request = requestOf(scene, worker, known)
  return worker.job.stage === firstStage(scenario)
    ? protocol.decideStart(record, request, scene.state.clock)
    : protocol.decideStage(record, request, scene.state.clock)
}

/** As `decide`, for an attempt that has lost its claim: it may only acknowledge its message. */
export function decideEnd(
  scene: Scene,
  worker: Worker,
  record: StageRecord | undefined,
  known?: RequestHistory,
): Pc {
  if (scene.protocol.recipe.whenFenced === 'acknowledge') return acknowledged
  const verdict = verdictOf(scene, worker, record, known)
  if (verdict.kind === 'lookUp') return { at: 'lookUp', record, may: 'only end' }
  const ends =
    verdict.kind === 'over' || verdict.kind === 'replaced' || verdict.kind === 'abandonedMessage'
  return ends ? act(scene, worker, verdict, record) : stays
}

function act(
  scene: Scene,
  worker: Worker,
  verdict: StageVerdict,
  record: StageRecord | undefined,
): Pc {
  const { protocol } = scene
  switch (verdict.kind) {
    case 'deadLetter':
      if (protocol.recipe.deadLetter === 'before it') {
        const death = verdict.record.epoch
        return { at: 'earlyDeadLetter', write: claimOf(scene, worker, verdict), death }
      }
      return { at: 'claim', verdict: 'deadLetter', write: claimOf(scene, worker, verdict) }
    case 'start':
    case 'begin':
    case 'takeOver':
    case 'revive':
    case 'reopen':
      return { at: 'claim', verdict: verdict.kind, write: claimOf(scene, worker, verdict) }
    case 'over':
      return { at: 'ended', how: 'acknowledge', as: verdict.as }
    case 'replaced':
      return { ...acknowledged, as: 'replaced' }
    case 'refuse':
      // Whatever its death number: it is dead-lettered like a message without any known run.
      return { at: 'refuse', death: verdict.because === 'lost' ? 0 : (worker.job.death ?? 0) }
    case 'abandonedMessage':
      return { at: 'refuse', death: verdict.death }
    case 'drop':
      return { at: 'drop', update: protocol.writeDrop(verdict.record, worker.job.uid) }
    case 'wait':
      return {
        at: 'wait',
        update: protocol.writeWaiting(verdict.record, requestOf(scene, worker, undefined)),
      }
    case 'mine':
      return beginRun(scene, worker, hold(verdict.record, worker))
    case 'deadLettering':
      return { at: 'deadLetter', held: holdDying(verdict.record, worker) }
    case 'held':
      return protocol.recipe.whenHeld === 'acknowledge' ? acknowledged : stays
    case 'busy':
    case 'early':
      return stays
    case 'lookUp':
      return { at: 'lookUp', record, may: 'claim' }
    case 'abandonRun':
      return abandon(scene, verdict.record, 'decide')
  }
}

function claimOf(
  scene: Scene,
  worker: Worker,
  verdict: Parameters<Protocol['claimWrite']>[0],
): ReturnType<Protocol['claimWrite']> {
  const { protocol, state } = scene
  const request = requestOf(scene, worker, undefined)
  const start = protocol.claimWrite(verdict, request, KEY)
  return protocol.reportSuperseded(start, verdict, request, closingAt(state.clock))
}

export function hold(record: StageRecord, { job, id }: Worker): HeldStage {
  const held = holdStage(record, job.stage, id)
  if (held?.entry.status !== 'open') throw new Error(`${id} does not hold ${job.stage}`)
  return { ...held, entry: held.entry }
}

export function holdDying(record: StageRecord, { job, id }: Worker): HeldStage<DyingEntry> {
  const held = holdStage(record, job.stage, id)
  if (held?.entry.status !== 'dying') throw new Error(`${id} does not bury ${job.stage}`)
  return { ...held, entry: held.entry }
}

export function beginRun(scene: Scene, worker: Worker, held: HeldStage): Pc {
  return { at: 'run', held, steps: stepsOf(scene, worker.job, held.entry.attempt) }
}

function stepsOf(
  { scenario, protocol }: Scene,
  { stage, death }: Worker['job'],
  attempt: number,
): readonly Micro[] {
  const isFirst = attempt === 1 && death === undefined
  const { recipe } = protocol
  const steps = (scenario.stages[stage] ?? []).flatMap((step): Micro[] => {
    if ('effect' in step) return [{ do: 'effect', name: step.effect }]
    if ('late' in step) return isFirst ? [] : [{ do: 'effect', name: step.late }]
    if ('call' in step) return [{ do: 'begin', name: step.call, as: step.as }]
    if ('send' in step) return [{ do: 'send', to: step.send }]
    const { awaits: name, ids, need } = step
    const lists = ids.map((id): Micro => ({ do: 'list', name, id, update: undefined }))
    const asks = ids.map((id): Micro => ({ do: 'ask', id }))
    const saves: Micro[] = [{ do: 'save', name, ids, need, update: undefined }, ...lists]
    return recipe.question === 'before it' ? [...asks, ...saves] : [...saves, ...asks]
  })
  if (recipe.handOver === 'after the effects') return steps
  return steps.toSorted((one, other) => Number(other.do === 'send') - Number(one.do === 'send'))
}

/** The stages that a handler sends to. */
export function sentTo({ scenario }: Scene, stage: string): string[] {
  return (scenario.stages[stage] ?? []).flatMap((step) =>
    'send' in step ? [step.send] : 'awaits' in step ? [step.awaits] : [],
  )
}

export function settle(scene: Scene, worker: Worker, held: HeldStage): Pc {
  const passed = sentTo(scene, worker.job.stage)
  const end = { ends: passed.length === 0, sentTo: passed }
  const leaving = scene.protocol.settleStage(held, end, closingAt(0))
  return { at: 'leave', held, todo: leavingOps(scene, leaving, 'settles') }
}

export function bury(scene: Scene, held: HeldStage<DyingEntry>): Pc {
  const leaving = scene.protocol.finishDeadLettering(held, closingAt(0))
  return { at: 'leave', held, todo: leavingOps(scene, leaving, 'buries') }
}

function leavingOps(scene: Scene, leaving: StageEnding, label: string): Op[] {
  return leaving.kind === 'leave'
    ? [{ op: 'update', label, update: leaving.update }]
    : endingOps(scene, leaving.ending)
}

export function abandon(scene: Scene, record: StageRecord, after: 'stop' | 'decide'): Pc {
  const giving = scene.protocol.decideAbandon(record, closingAt(scene.state.clock))
  if (giving.kind === 'keep') return stays
  if (giving.kind === 'abandon') return { at: 'abandon', update: giving.update, after }
  return { at: 'end', todo: endingOps(scene, giving.ending), after }
}

export function notBeforeOf({ leaseUntil }: Worker): number {
  return leaseUntil - LEASE + NOT_BEFORE
}

export { acknowledged, closingAt, endingOps, KEY, type Scene, stays } from './ends.ts'
