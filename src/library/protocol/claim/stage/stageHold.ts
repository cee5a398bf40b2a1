// @acts

import { continuableUntil, keptForRun } from '../../../base/limits/lifetime.ts'
import type { LogFields } from '../../../base/logger.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import {
  type ReadOutcome,
  type Update,
  type WriteOutcome,
  asFailed,
  hasNoAnswer,
} from '../../store/store.ts'
import { attempt, decideAndWrite, type Done, done, look, type Look } from '../decideAndWrite.ts'
import {
  type AppliedEffects,
  type Death,
  type DeathReport,
  type FailedAttempt,
  type Fencing,
  type Hold,
  type OutsideCalls,
  type WriteResult,
} from '../hold.ts'
import type { ItemStore } from '../itemStore.ts'
import type { EndReason } from '../settlement.ts'
import { blockingRequestIn } from './decideConflict.ts'
import {
  deadEntry,
  dyingEntry,
  releasedEntry,
  resendingEntry,
  resentEntry,
  settleStage,
  type StageEnding,
  waitingEntry,
} from './endAttempt.ts'
import type { EndOptions } from './endRun.ts'
import { explainRefusedWrite, holdStage, namesOfStage, withEffect } from './heldStage.ts'
import { type HeldStage } from './stageOwnedBy.ts'
import { type OwnStage, stageCalls, stageEffects } from './stageEffects.ts'
import { endOf, endReasonOf } from './requestHistory.ts'
import { type DyingEntry, isDeathReason, type StageEntry } from './stageEntry.ts'
import { readStageRecord, type StageRecord, type StageRun } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'
import { writeEnding } from './writeEnding.ts'

interface StageHoldParts {
  readonly held: HeldStage | HeldStage<DyingEntry>
  /** No earlier attempt has had the stage in this run. */
  readonly first: boolean
  /** As in `Fencing`. */
  readonly isSurelyFirst: boolean
  readonly key: string
  readonly sentAt: number
  readonly store: ItemStore
  /** Makes the fenced writes of the end, in batches with those of other records. */
  commit(update: Update): Promise<WriteOutcome>
  /** What the message may do now, as if it had just arrived. */
  decide(record: StageRecord | undefined): StageVerdict
  closing(death?: Death): EndOptions
  /** The cause of death for a request that never ran. */
  readonly refusal: Death
}

/** The claim of an attempt on a stage. What it knows of its record changes with each of its writes. */
export class StageHold implements Hold {
  readonly attempt: number
  readonly resendNumber: number
  readonly stage: string
  readonly key: string
  /** Id of the request that runs the flow. */
  readonly uniqueRequestId: string
  readonly epoch: number
  /** Version of the request, epoch milliseconds. */
  readonly sentAt: number
  readonly recordPk: string
  readonly run: { readonly recordPk: string; readonly uniqueRequestId: string }
  readonly giveUpAt: number
  readonly notAfter: number
  /** Until when everything that belongs to the run is kept, epoch milliseconds. */
  readonly keepUntil: number
  /** Stages and steps that this stage has sent messages to. The run lasts until they have settled. */
  readonly sentTo: Set<string> = new Set()
  /** Stages and steps that led to this stage. They have settled, and each stage runs once. */
  readonly ancestors: ReadonlySet<string>
  readonly fields: LogFields
  readonly fencing: Fencing
  readonly effects: AppliedEffects
  readonly calls: OutsideCalls
  readonly #parts: StageHoldParts
  #held: HeldStage | HeldStage<DyingEntry>
  #death: Death | undefined
  /** Attempts that count. `confirmResend` compares with the entry that `scheduleResend` has written, which has this number. */
  #counted: number

  constructor(parts: StageHoldParts) {
    const { record, run, stage, entry } = parts.held
    const { uniqueRequestId, giveUpAt } = run
    const { key, epoch, fence } = record
    this.#parts = parts
    this.#held = parts.held
    this.#counted = entry.attempt
    this.attempt = entry.attempt
    this.resendNumber = entry.status === 'open' ? entry.resendNumber : 0
    this.stage = stage
    this.key = parts.key
    this.uniqueRequestId = uniqueRequestId
    this.epoch = epoch
    this.sentAt = parts.sentAt
    this.recordPk = key.pk
    this.run = { recordPk: key.pk, uniqueRequestId }
    this.giveUpAt = giveUpAt
    this.notAfter = giveUpAt
    const { retention } = parts.closing()
    this.keepUntil = keptForRun(run.continuable ?? continuableUntil(giveUpAt, retention))
    this.ancestors = ancestorsOf(run.stages, stage)
    const { attempt: nth } = entry
    this.fields = { uniquerequestid: uniqueRequestId, key: parts.key, stage, epoch, attempt: nth }
    const { isSurelyFirst } = parts
    this.fencing = { subject: key.pk, request: uniqueRequestId, epoch, stage, fence, isSurelyFirst }
    const { store, first } = parts
    const own: OwnStage = { open: () => this.#open(), note: (update) => this.#note(update) }
    this.effects = stageEffects(own)
    this.calls = stageCalls(own, { store, first, keepUntil: this.keepUntil, attempt: this.attempt })
  }

  names(): readonly string[] {
    return namesOfStage(this.#open())
  }

  /** Whether the record shows the stage as this attempt's own. */
  holds(record: StageRecord): boolean {
    const { attemptId } = this.#held.entry
    return holdStage(record, this.stage, attemptId)?.entry.status === 'open'
  }

  settle(end: 'completed' | 'stale'): Promise<WriteResult> {
    const sentTo = end === 'stale' ? [] : [...this.sentTo]
    const settled = { ends: sentTo.length === 0, sentTo }
    return this.#end((closing) => settleStage(this.#open(), settled, closing), 'duplicate')
  }

  scheduleResend(next: number, notBefore: number, end: FailedAttempt): Promise<WriteResult> {
    this.#counted = this.attempt - (end.counts ? 0 : 1)
    return this.#write(resendingEntry(this.#open(), next, notBefore, this.#counted))
  }

  async confirmResend(next: number, notBefore: number): Promise<void> {
    await this.#parts.commit(resentEntry(this.#open(), next, notBefore, this.#counted))
  }

  waitUntil(notBefore: number, end: FailedAttempt): Promise<WriteResult> {
    const counted = this.attempt - (end.counts ? 0 : 1)
    return this.#write(waitingEntry(this.#open(), notBefore, counted))
  }

  async release(): Promise<void> {
    await this.#parts.commit(releasedEntry(this.#open()))
  }

  async startDeadLettering(death: Death): Promise<WriteResult> {
    const held = this.#open()
    // Format 1 has no word for `lost answer`: such a request is dead as `terminal`.
    const ofError = death.reason === 'lost answer' ? 'terminal' : 'exhausted'
    const reason = isDeathReason(death.reason) ? death.reason : ofError
    const left = await this.#write(dyingEntry(held, reason))
    const { attemptId, leaseUntil } = held.entry
    const { attempt: nth } = this
    this.#held = {
      ...held,
      entry: { status: 'dying', attemptId, attempt: nth, leaseUntil, reason },
    }
    this.#death = death
    return left
  }

  deathReport(): DeathReport {
    const { record, entry } = this.#dying()
    const refusal = entry.reason === 'rejected' ? this.#parts.refusal : undefined
    const silent: Death = {
      reason: entry.reason,
      error: `the last of ${entry.attempt} attempts ended without an answer (killed or timed out)`,
    }
    const { attempt: attempts } = entry
    return { ...(this.#death ?? refusal ?? silent), attempts, death: record.epoch }
  }

  /**
   * Once dead-lettering has started no effect can be recorded, so the record shows all effects to keep. If fewer were kept, a
   * redrive would repeat an effect.
   */
  async finishDeadLettering(): Promise<WriteResult> {
    const { attemptId } = this.#held.entry
    const read = await this.#read()
    if (hasNoAnswer(read)) return asFailed(read)
    const record = read.item && readStageRecord(read.item)
    const held = record && holdStage(record, this.stage, attemptId)
    if (held?.entry.status !== 'dying') return this.#explainLoss(read)
    this.#held = { ...held, entry: held.entry }
    return this.#end((closing) => deadEntry(this.#dying(), closing), 'alreadyDeadLettered')
  }

  async explainLostClaim(): Promise<WriteResult> {
    return this.#explainLoss(await this.#read())
  }

  #open(): HeldStage {
    const { entry } = this.#held
    if (entry.status !== 'open') throw new Error('the stage is not open')
    return { ...this.#held, entry }
  }

  #dying(): HeldStage<DyingEntry> {
    const { entry } = this.#held
    if (entry.status !== 'dying') throw new Error('the stage is not dying')
    return { ...this.#held, entry }
  }

  #read(): Promise<ReadOutcome> {
    return this.#parts.store.read(this.#held.record.key)
  }

  /** Makes one fenced write of the end. */
  async #write(update: Update): Promise<WriteResult> {
    const outcome = await this.#parts.commit(update)
    if (hasNoAnswer(outcome)) return asFailed(outcome)
    const { kind } =
      outcome.kind === 'applied' ? WRITTEN : explainRefusedWrite(this.#held, update, outcome.item)
    return kind === 'written' ? WRITTEN : this.#explainLoss({ kind: 'found', item: outcome.item })
  }

  /** The last stage to end also ends the run. Which stage is the last may change until the write succeeds. */
  #end(decide: (closing: EndOptions) => StageEnding, ended: EndReason): Promise<WriteResult> {
    return decideAndWrite<undefined, WriteResult>(
      undefined,
      () => {
        const ending = decide(this.#parts.closing(this.#death))
        return attempt(() => this.#writeEnd(ending, ended))
      },
      () => ({ kind: 'failed', error: new Error('other stages changed the record in each round') }),
    )
  }

  async #writeEnd(
    end: StageEnding,
    ended: EndReason,
  ): Promise<Done<WriteResult> | Look<undefined>> {
    const store = { ...this.#parts.store, update: this.#parts.commit }
    const update = end.kind === 'end' ? end.ending.finish : end.update
    const outcome = await (end.kind === 'end'
      ? writeEnding(store, end.ending)
      : store.update(update))
    if (hasNoAnswer(outcome)) return done(asFailed(outcome))
    if (outcome.kind === 'applied') return done(WRITTEN)
    const meaning = explainRefusedWrite(this.#held, update, outcome.item)
    if (meaning.kind === 'written') return done(WRITTEN)
    if (meaning.kind === 'mine') {
      const { record } = meaning
      if (record.run !== undefined) this.#held = { ...this.#held, record, run: record.run }
      return look(undefined)
    }
    const result = this.#explainLoss({ kind: 'found', item: outcome.item })
    // The answer to this very write was lost: the run has ended as intended.
    return done(result.kind === 'lost' && result.over === ended ? WRITTEN : result)
  }

  /** Another attempt may have the stage, and may die: the message may be acknowledged only when its request has ended. */
  #explainLoss(seen: ReadOutcome): WriteResult {
    if (hasNoAnswer(seen)) return asFailed(seen)
    const { item } = seen
    const record = item && readStageRecord(item)
    if (item !== undefined && record === undefined) return { kind: 'lost', over: undefined }
    const verdict = this.#parts.decide(record)
    if (verdict.kind !== 'over') return { kind: 'lost', over: undefined, gone: item === undefined }
    const { run } = this.#held
    // The attempt had the claim, so the message was not stale when it arrived.
    const over = verdict.as === 'stale' ? endSince(record, run) : verdict.as
    return { kind: 'lost', over, by: blockingRequestIn(record, run, over) }
  }

  #note(update: Update): void {
    this.#held = withEffect(this.#open(), update)
  }
}

const WRITTEN = { kind: 'written' } as const

/** Its own handler may have reset the run, or its own write have completed it. */
function endSince(record: StageRecord | undefined, run: StageRun): EndReason {
  const end = record && endOf(record, { ...run, process: record.process }, undefined)
  return end === undefined ? 'superseded' : endReasonOf(end)
}

/** What a message has to carry so that it runs in the same run. */
export function carriedFlow(
  { key, uniqueRequestId, epoch, sentAt, stage }: StageHold,
  flow: string,
  from: string = stage,
): RunReference {
  return { name: flow, key, id: uniqueRequestId, epoch, sentAt, from }
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
