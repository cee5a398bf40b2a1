// @acts

import {
  type Item,
  type StoreKey,
  type Update,
  type WriteOutcome,
  asFailed,
  hasNoAnswer,
} from '../../store/store.ts'
import {
  attempt,
  decideAndWrite,
  type Done,
  done,
  look,
  type Look,
  type Step,
} from '../decideAndWrite.ts'
import { damaged } from '../../store/format.ts'
import type { ItemStore } from '../itemStore.ts'
import { decideAbandon } from './abandonRun.ts'
import {
  afterLost,
  heldClaim,
  isSurelyFirst,
  probableClaim,
  reportSuperseded,
  silentAttempts,
  wouldHold,
} from './claimInRecord.ts'
import { type ClaimWrite, claimWrite } from './claimWrite.ts'
import { blockingRequestIn, writeDrop, writeWaiting } from './decideConflict.ts'
import { historyKeys, readHistory } from './requestHistory.ts'
import {
  ABANDONED,
  refusalOfStage,
  type Seen,
  type StageClaim,
  type StageClaimRequest,
  unknownStage,
} from './stageClaim.ts'
import { nameInRun } from './stageMessage.ts'
import { forget, isForgotten, readStageRecord, type StageRecord } from './stageRecord.ts'
import type { ClaimVerdict, StageVerdict } from './verdict.ts'
import { writeAbandon } from './writeEnding.ts'

/** When another writer was faster in every round, the message is hidden for this time, milliseconds. */
const CONTENDED_MS = 1_000
/**
 * Pauses while the stage that sent the message is about to settle. It usually settles within milliseconds, and waiting here saves
 * a delivery.
 */
const SENDER_PAUSES_MS = [10, 20, 40, 80]

/** Claims a stage for a message, or returns why the message cannot run. */
export async function claimStage(
  store: ItemStore,
  claimant: StageClaimRequest,
): Promise<StageClaim> {
  let claim = await new Claiming(store, claimant).claim()
  if (claimant.request.after === undefined) return claim
  for (const pause of SENDER_PAUSES_MS) {
    if (claim.kind !== 'busy') return claim
    await claimant.sleep(pause)
    claim = await new Claiming(store, { ...claimant, unread: undefined }).claim()
  }
  return claim
}

type Next = Done<StageClaim> | Look<Seen>

/** One claim that is under way. */
class Claiming {
  readonly #store: ItemStore
  /** The request, which gets the history that was looked up. */
  #claimant: StageClaimRequest

  constructor(store: ItemStore, claimant: StageClaimRequest) {
    this.#store = store
    this.#claimant = claimant
  }

  async claim(): Promise<StageClaim> {
    const first = (await this.#claimUnread()) ?? (await this.#look())
    if (first.kind === 'done') return first.result
    const { now } = this.#claimant.closing
    return decideAndWrite<Seen, StageClaim>(
      first.seen,
      (seen) => this.#decide(seen),
      () => ({ kind: 'held', until: now + CONTENDED_MS }),
    )
  }

  async #look(): Promise<Look<Seen>> {
    return look(await this.#store.read(this.#claimant.key))
  }

  /** Not every store returns the item that refused a write. If it is missing, the record is read. */
  async #lookAt(next: Seen): Promise<Look<Seen>> {
    return next.kind === 'refused' && next.item === undefined ? this.#look() : look(next)
  }

  /**
   * Tries the claim that is made in most cases; the item that refuses it is the first look.
   * @returns undefined: the record is read first
   */
  async #claimUnread(): Promise<Next | undefined> {
    const { unread } = this.#claimant
    const probable = probableClaim(this.#claimant)
    if (unread === undefined || probable === undefined) return undefined
    const { verdict, write } = probable
    if (!unread.streak.mayTry()) {
      const first = await this.#look()
      const { seen } = first
      if (seen.kind === 'found') unread.streak.note(wouldHold(probable, seen.item))
      return first
    }
    const outcome = await this.#make(write)
    if (outcome.kind !== 'failed') unread.streak.note(outcome.kind === 'applied')
    if (outcome.kind !== 'applied') return this.#lookAt(outcome)
    const item = write.kind === 'create' ? write.item : outcome.item
    const after = item === undefined ? await this.#look() : look<Seen>({ kind: 'found', item })
    if (hasNoAnswer(after.seen) || after.seen.item === undefined) return after
    const as = { first: true, isSurelyFirst: isSurelyFirst(verdict) }
    const held = heldClaim(after.seen.item, this.#claimant, as)
    // Not every engine returns the item of a batched update. Meanwhile another attempt may have taken over: only an item that shows
    // this attempt as the holder is believed.
    return held === undefined ? after : done(held)
  }

  #make(write: ClaimWrite, asked: Pick<Update, 'needsNoItem'> = {}): Promise<WriteOutcome> {
    if (write.kind === 'create') return this.#store.create(write.item)
    const update = { ...write.update, ...asked }
    return write.report === undefined
      ? this.#store.update(update)
      : this.#store.updateBeside(update, write.report)
  }

  #decide(seen: Seen): Step<Seen, StageClaim> {
    if (hasNoAnswer(seen)) return done(asFailed(seen))
    const { item } = seen
    const read = item && readStageRecord(item)
    if (item !== undefined && read === undefined) return done(asFailed(damaged(this.#claimant.key)))
    const { closing, notBefore, decide } = this.#claimant
    const isOver = read !== undefined && isForgotten(read, closing.now)
    const record = isOver ? undefined : read
    const named = asNamed(record, this.#claimant)
    const { request } = named
    const decided = decide(record, request)
    const verdict = isOver ? startingOn(forget(read), decided) : decided
    switch (verdict.kind) {
      case 'start':
      case 'begin':
        if (notBefore > closing.now) return done({ kind: 'early', until: notBefore })
        return attempt(() => this.#claim(item, named, verdict))
      case 'takeOver': {
        const attempts = silentAttempts(verdict.record, named)
        if (attempts !== undefined) return done({ kind: 'silent', attempts })
        return attempt(() => this.#claim(item, named, verdict))
      }
      case 'deadLetter':
      case 'revive':
      case 'reopen':
        return attempt(() => this.#claim(item, named, verdict))
      case 'mine':
      case 'deadLettering':
        return done(held(item ?? {}, named, { first: false, isSurelyFirst: false }))
      case 'lookUp':
        return attempt(() => this.#lookUp(seen, verdict.epoch))
      case 'abandonRun':
        return attempt(() => this.#abandonRun(verdict.record))
      case 'drop':
        return attempt(() => this.#drop(verdict.record))
      case 'wait':
        return attempt(() => this.#wait(item, verdict.record))
      case 'refuse':
        return done({ kind: 'refuse', refusal: refusalOfStage(named, verdict.because) })
      case 'abandonedMessage':
        return done({ kind: 'refuse', refusal: { ...ABANDONED, death: verdict.death } })
      case 'over':
        return done({ ...verdict, by: blockingRequestIn(record, request, verdict.as) })
      case 'busy':
        return done({ ...verdict, by: blockingRequestIn(record, request) })
      default:
        return done(verdict)
    }
  }

  async #claim(
    before: Item | undefined,
    claimant: StageClaimRequest,
    verdict: ClaimVerdict,
  ): Promise<Next> {
    const { request, key, closing } = claimant
    const start = claimWrite(verdict, request, key)
    const write = reportSuperseded(start, verdict, request, closing)
    const first = verdict.kind === 'start' || verdict.kind === 'begin'
    const outcome = await this.#make(write, first ? { needsNoItem: true } : {})
    if (outcome.kind !== 'applied') return this.#lookAt(outcome)
    const as = { first, isSurelyFirst: isSurelyFirst(verdict), ...afterLost(verdict, claimant) }
    // An earlier attempt may have recorded marks between the read and the claim, but not of a stage that had not begun.
    const known = first && write.kind === 'update' ? updated(before, write.update) : outcome.item
    const item = write.kind === 'create' ? write.item : known
    return item === undefined ? this.#look() : done(held(item, claimant, as))
  }

  /** The record alone does not show how the request ended, so other items are read. */
  async #lookUp(seen: Seen, epoch: number): Promise<Next> {
    const { key, request, closing } = this.#claimant
    const keys = historyKeys(key, request.uniqueRequestId)
    const reads = await Promise.all(keys.map((each) => this.#store.read(each)))
    const unknown = reads.find(hasNoAnswer)
    if (unknown !== undefined) return done(asFailed(unknown))
    const [deadRun, ended] = reads.flatMap((read) => (hasNoAnswer(read) ? [] : [read.item]))
    const history = readHistory(epoch, [deadRun, ended], closing.now)
    if (history === undefined) return done(asFailed(damaged(key)))
    this.#claimant = { ...this.#claimant, request: { ...this.#claimant.request, history } }
    return look(seen)
  }

  /** The run that has the key is out of time, and no attempt can be running: the claim that finds this ends the run. */
  async #abandonRun(record: StageRecord): Promise<Next> {
    const decision = decideAbandon(record, this.#claimant.closing)
    if (decision.kind === 'keep') return this.#look()
    const outcome = await writeAbandon(this.#store, decision)
    return outcome.kind === 'failed' ? done(outcome) : this.#look()
  }

  async #drop(record: StageRecord): Promise<Next> {
    const { request } = this.#claimant
    const outcome = await this.#store.update(writeDrop(record, request.uniqueRequestId))
    if (outcome.kind !== 'applied') return this.#lookAt(outcome)
    return done({ kind: 'over', as: 'dropped', by: blockingRequestIn(record, request, 'dropped') })
  }

  async #wait(before: Item | undefined, record: StageRecord): Promise<Next> {
    const update = writeWaiting(record, this.#claimant.request)
    const outcome = await this.#store.update(update)
    if (outcome.kind !== 'applied') return this.#lookAt(outcome)
    return look({ kind: 'found', item: outcome.item ?? updated(before, update) })
  }
}

/** A claim of which the item has to show that it was made. */
function held(...[item, claimant, as]: Parameters<typeof heldClaim>): StageClaim {
  return heldClaim(item, claimant, as) ?? asFailed(damaged(claimant.key))
}

/** A new life of the key: its epoch and fence go on from the record that has expired. */
function startingOn(expired: StageRecord, verdict: StageVerdict): StageVerdict {
  return verdict.kind === 'start' || verdict.kind === 'reopen'
    ? { ...verdict, record: expired }
    : verdict
}

/** The request, with its stage under the name it has in the run. The run may have begun under an earlier definition. */
function asNamed(record: StageRecord | undefined, claimant: StageClaimRequest): StageClaimRequest {
  const { request, names } = claimant
  const own = record?.run?.uniqueRequestId === request.uniqueRequestId
  const stages = own ? record.run.stages : request.history?.deadRun?.stages
  if (stages === undefined) return claimant
  const { kind, stage } = nameInRun(stages, request, names)
  if (kind === 'named') return { ...claimant, request: { ...request, stage } }
  const refusal = unknownStage(request.stage, stage)
  return { ...claimant, request: { ...request, stage, refused: true }, refusal }
}

/**
 * The item as the update has left it. The condition of the update held, so everything that the claim depends on is unchanged
 * since the read.
 */
function updated(
  before: Item = {},
  { key, set = {}, remove = [] }: Pick<Update, 'key' | 'set' | 'remove'>,
): Item & StoreKey {
  const kept = Object.entries(before).filter(([name]) => !remove.includes(name))
  return { ...key, ...Object.fromEntries(kept), ...set }
}
