import type { Item, StoreKey, Update, WriteOutcome } from '../../store/store.ts'
import {
  attempt,
  decideAndWrite,
  type Done,
  done,
  look,
  type Look,
  type Step,
} from '../decideAndWrite.ts'
import type { ItemStore } from '../itemStore.ts'
import { decideAbandon } from './abandonRun.ts'
import { reopening } from './deadRun.ts'
import { blockingRequestIn, writeDrop, writeWaiting } from './decideConflict.ts'
import { type ClaimWrite, claimWrite } from './claimWrite.ts'
import {
  afterLost,
  heldClaim,
  heldClaimIn,
  isSurelyFirst,
  silentAttempts,
  type ProbableClaim,
  probableClaim,
  wouldHold,
} from './claimInRecord.ts'
import { nameInRun } from './stageMessage.ts'
import {
  ABANDONED,
  refusalOfStage,
  unknownStage,
  type Seen,
  type StageClaim,
  type StageClaimRequest,
} from './stageClaim.ts'
import { historyKeys, readHistory } from './requestHistory.ts'
import { forget, isForgotten, readStageRecord, type StageRecord } from './stageRecord.ts'
import type { ClaimVerdict, StageVerdict } from './verdict.ts'
import { writeAbandon } from './writeEnding.ts'

/** When another writer was faster in every round, the message comes back after this time, milliseconds. */
const CONTENDED_MS = 1_000
/** A flow that no longer has the option `undo` leaves an ending run to the sweeper, milliseconds. */
const ENDING_MS = 60_000
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
  let claim = await claimNow(store, claimant)
  if (claimant.request.after === undefined) return claim
  for (const pause of SENDER_PAUSES_MS) {
    if (claim.kind !== 'busy') return claim
    await claimant.sleep(pause)
    claim = await claimNow(store, { ...claimant, unread: undefined })
  }
  return claim
}

/** Everything that one round of the decision depends on. */
interface Sight {
  readonly claimant: StageClaimRequest
  readonly seen: Seen
  /** It is tried first, and nothing was seen. */
  readonly probable?: ProbableClaim | undefined
}

type Next = Promise<Done<StageClaim> | Look<Sight>>

async function claimNow(store: ItemStore, claimant: StageClaimRequest): Promise<StageClaim> {
  return decideAndWrite<Sight, StageClaim>(
    await firstSight(store, claimant),
    (sight) => {
      const { probable } = sight
      return probable === undefined
        ? decide(store, sight)
        : attempt(() => claimUnread(store, sight, probable))
    },
    () => ({ kind: 'held', until: claimant.closing.now + CONTENDED_MS }),
  )
}

async function firstSight(store: ItemStore, claimant: StageClaimRequest): Promise<Sight> {
  const { key, unread } = claimant
  const probable = probableClaim(claimant)
  if (probable !== undefined && unread?.streak.mayTry() === true) {
    return { claimant, seen: { kind: 'found', item: undefined }, probable }
  }
  const seen = await store.read(key)
  if (probable !== undefined && seen.kind === 'found') {
    unread?.streak.note(wouldHold(probable, seen.item))
  }
  return { claimant, seen }
}

/** The item that refuses the claim is the first look. */
async function claimUnread(
  store: ItemStore,
  { claimant, seen }: Sight,
  { verdict, write }: ProbableClaim,
): Next {
  const outcome = await makeWrite(store, write)
  if (outcome.kind !== 'failed') claimant.unread?.streak.note(outcome.kind === 'applied')
  if (outcome.kind !== 'applied') return lookAgain(store, { claimant, seen }, outcome)
  const item = write.kind === 'create' ? write.item : outcome.item
  const after: Seen = item === undefined ? await store.read(claimant.key) : { kind: 'found', item }
  if (after.kind === 'failed' || after.item === undefined) return look({ claimant, seen: after })
  const as = { first: true, isSurelyFirst: isSurelyFirst(verdict) }
  const held = heldClaimIn(after.item, claimant, as)
  // Not every engine returns the item of a batched update. Meanwhile another attempt may have taken over: only an item that shows
  // this attempt as the holder is believed.
  return held.kind === 'unreadable' ? look({ claimant, seen: after }) : done(held)
}

function makeWrite(
  store: ItemStore,
  write: ClaimWrite,
  asked: Pick<Update, 'needsNoItem'> = {},
): Promise<WriteOutcome> {
  return write.kind === 'create'
    ? store.create(write.item)
    : store.update({ ...write.update, ...asked })
}

function decide(store: ItemStore, sight: Sight): Step<Sight, StageClaim> {
  const { seen, claimant } = sight
  if (seen.kind === 'failed') return done(seen)
  const { item } = seen
  const read = item === undefined ? undefined : readStageRecord(item)
  if (item !== undefined && read === undefined) return done({ kind: 'unreadable' })
  const isOver = read !== undefined && isForgotten(read, claimant.closing.now)
  const record = isOver ? undefined : read
  const named = asNamed(record, claimant)
  const { request, notBefore, closing } = named
  const decided = claimant.decide(record, request)
  const verdict = isOver ? startingOn(forget(read), decided) : decided
  switch (verdict.kind) {
    case 'start':
    case 'begin':
      return notBefore > closing.now
        ? done({ kind: 'early', until: notBefore })
        : attempt(() => claim(store, sight, named, verdict))
    case 'takeOver': {
      const attempts = silentAttempts(verdict.record, named)
      return attempts === undefined
        ? attempt(() => claim(store, sight, named, verdict))
        : done({ kind: 'silent', attempts })
    }
    case 'reopen':
      return attempt(() => reopen(store, sight, named, verdict))
    case 'deadLetter':
    case 'revive':
      return attempt(() => claim(store, sight, named, verdict))
    case 'mine':
    case 'deadLettering':
      return done(heldClaim(verdict.record, named, { first: false, isSurelyFirst: false }))
    case 'lookUp':
      return attempt(() => lookUp(store, sight, verdict.epoch))
    case 'abandonRun':
      return attempt(() => abandonRun(store, sight, verdict.record))
    case 'endRun':
      return claimant.ender === undefined
        ? done({ kind: 'early', until: closing.now + ENDING_MS })
        : attempt(() => undoRun(store, sight, verdict))
    case 'drop':
      return attempt(() => drop(store, sight, verdict.record))
    case 'wait':
      return attempt(() => wait(store, sight, verdict.record))
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

/** A new life of the key: its epoch and fence go on from the record that has expired. */
function startingOn(expired: StageRecord, verdict: StageVerdict): StageVerdict {
  return verdict.kind === 'start' || verdict.kind === 'reopen'
    ? { ...verdict, record: expired }
    : verdict
}

/** Not every store returns the item that refused a write. If it is missing, the record is read. */
async function lookAgain(store: ItemStore, sight: Sight, next: Seen): Promise<Look<Sight>> {
  const isSilent = next.kind === 'refused' && next.item === undefined
  return look({ ...sight, seen: isSilent ? await store.read(sight.claimant.key) : next })
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

async function claim(
  store: ItemStore,
  sight: Sight,
  claimant: StageClaimRequest,
  verdict: ClaimVerdict,
): Next {
  const write = claimWrite(verdict, claimant.request, claimant.key)
  const first = verdict.kind === 'start' || verdict.kind === 'begin'
  const outcome = await makeWrite(store, write, first ? { needsNoItem: true } : {})
  if (outcome.kind !== 'applied') return lookAgain(store, sight, outcome)
  const as = { first, isSurelyFirst: isSurelyFirst(verdict), ...afterLost(verdict, claimant) }
  if (write.kind === 'create') return done(heldClaimIn(write.item, claimant, as))
  if (first) return done(heldClaimIn(updated(itemOf(sight), write.update), claimant, as))
  // An earlier attempt may have recorded marks between the read and the claim.
  return outcome.item === undefined
    ? lookAgain(store, sight, await store.read(claimant.key))
    : done(heldClaimIn(outcome.item, claimant, as))
}

/** The first write on the item of the dead run decides: a redrive, or the undo of an operator. */
async function reopen(
  store: ItemStore,
  sight: Sight,
  claimant: StageClaimRequest,
  verdict: Extract<ClaimVerdict, { kind: 'reopen' }>,
): Next {
  const update = reopening(claimant.key, verdict.deadRun)
  const outcome = update && (await store.update(update))
  if (outcome?.kind === 'failed') return done(outcome)
  if (outcome?.kind !== 'refused') return claim(store, sight, claimant, verdict)
  const request = { ...sight.claimant.request, history: undefined }
  return look({ ...sight, claimant: { ...sight.claimant, request } })
}

/** The record alone does not show how the request ended, so other items are read. */
async function lookUp(store: ItemStore, sight: Sight, epoch: number): Next {
  const { claimant, seen } = sight
  const { key, request } = claimant
  const [deadRunKey, endedKey] = historyKeys(key, request.uniqueRequestId)
  const [deadRun, ended] = await Promise.all([store.read(deadRunKey), store.read(endedKey)])
  if (deadRun.kind === 'failed') return done(deadRun)
  if (ended.kind === 'failed') return done(ended)
  const history = readHistory(epoch, [deadRun.item, ended.item], claimant.closing.now)
  return history === undefined
    ? done({ kind: 'unreadable' })
    : look({ claimant: { ...claimant, request: { ...request, history } }, seen })
}

/** The run that has the key is out of time, and no attempt can be running: the claim that finds this ends the run. */
async function abandonRun(store: ItemStore, sight: Sight, record: StageRecord): Next {
  const { key, closing } = sight.claimant
  const decision = decideAbandon(record, closing)
  if (decision.kind !== 'keep') {
    const outcome = await writeAbandon(store, decision)
    if (outcome.kind === 'failed') return done(outcome)
  }
  return lookAgain(store, sight, await store.read(key))
}

async function undoRun(
  store: ItemStore,
  sight: Sight,
  { record, as }: Extract<StageVerdict, { kind: 'endRun' }>,
): Next {
  const { key, closing, ender } = sight.claimant
  const error = await ender?.end(store, record, as, closing)
  return error === undefined
    ? lookAgain(store, sight, await store.read(key))
    : done({ kind: 'failed', error })
}

async function drop(store: ItemStore, sight: Sight, record: StageRecord): Next {
  const { request } = sight.claimant
  const outcome = await store.update(writeDrop(record, request.uniqueRequestId))
  if (outcome.kind !== 'applied') return lookAgain(store, sight, outcome)
  return done({ kind: 'over', as: 'dropped', by: blockingRequestIn(record, request, 'dropped') })
}

async function wait(store: ItemStore, sight: Sight, record: StageRecord): Next {
  const update = writeWaiting(record, sight.claimant.request)
  const outcome = await store.update(update)
  if (outcome.kind !== 'applied') return lookAgain(store, sight, outcome)
  const item = outcome.item ?? updated(itemOf(sight), update)
  return look({ ...sight, seen: { kind: 'found', item } })
}

function itemOf({ seen }: Sight): Item | undefined {
  return seen.kind === 'failed' ? undefined : seen.item
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
