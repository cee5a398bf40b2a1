import { claimWrite } from '../claim/stage/claimWrite.ts'
import { writeDrop, writeWaiting } from '../claim/stage/conflictWrites.ts'
import { holdStage } from '../claim/stage/heldStage.ts'
import { nameInRun } from '../claim/stage/nameInRun.ts'
import { readStageRecord, type StageRecord } from '../claim/stage/stageRecord.ts'
import type { ClaimVerdict } from '../claim/stage/verdict.ts'
import type { Item, StoreKey } from '../store/store.ts'
import type { DecideAgain, StageClaimRequest, Seen, StageClaim } from './stageClaim.ts'
import { blockingRequestIn } from './blockingRequest.ts'
import type { StageStore } from './stageStore.ts'
import {
  ABANDONED,
  abandonAndDecide,
  readHistoryAndDecide,
  refusalOf,
  unknownStage,
} from './resolveUnknown.ts'

/** A rival that changes the record between look and write costs a round; then the message comes back a little later. */
const ROUNDS = 8
const CONTENDED_MS = 1_000

/** From what stands in the table to a verdict, and from the verdict to the write it asks for, until one of them holds. */
export async function claimStage(
  store: StageStore,
  claimant: StageClaimRequest,
): Promise<StageClaim> {
  const claim = await follow(store, claimant, await store.read(claimant.key), ROUNDS)
  return claim.kind === 'busy' && claimant.request.after !== undefined
    ? claimAfter(store, claimant, claim)
    : claim
}

/** The stage that handed on is about to settle: mostly it has within milliseconds, and a delivery is saved. */
async function claimAfter(
  store: StageStore,
  claimant: StageClaimRequest,
  busy: StageClaim,
): Promise<StageClaim> {
  let claim = busy
  for (const pause of SENDER_PAUSES_MS) {
    if (claim.kind !== 'busy') return claim
    await claimant.sleep(pause)
    claim = await follow(store, claimant, await store.read(claimant.key), ROUNDS)
  }
  return claim
}

const SENDER_PAUSES_MS = [10, 20, 40, 80]

async function follow(
  store: StageStore,
  claimant: StageClaimRequest,
  seen: Seen,
  rounds: number,
): Promise<StageClaim> {
  if (seen.kind === 'failed') return seen
  const { item } = seen
  const record = item === undefined ? undefined : readStageRecord(item)
  if (item !== undefined && record === undefined) return { kind: 'unreadable' }
  if (rounds === 0) return { kind: 'held', until: claimant.closing.now + CONTENDED_MS }
  const named = asNamed(record, claimant)
  const verdict = claimant.decide(record, named.request)
  const again = async (next: Seen, request = claimant.request): Promise<StageClaim> => {
    const found = isSilent(next) ? await store.read(claimant.key) : next
    return follow(store, { ...claimant, request }, found, rounds - 1)
  }
  switch (verdict.kind) {
    case 'start':
    case 'begin':
      if (claimant.notBefore > claimant.closing.now) {
        return { kind: 'early', until: claimant.notBefore }
      }
      return claim(store, named, verdict, item, again)
    case 'takeOver': {
      const attempts = silentAttempts(verdict.record, named)
      return attempts === undefined
        ? claim(store, named, verdict, item, again)
        : { kind: 'silent', attempts }
    }
    case 'deadLetter':
    case 'reopen':
    case 'revive':
      return claim(store, named, verdict, item, again)
    case 'mine':
    case 'deadLettering':
      return heldClaim(verdict.record, named, false)
    case 'lookUp':
      return readHistoryAndDecide(store, claimant, verdict.epoch, seen, again)
    case 'abandonRun':
      return abandonAndDecide(store, claimant, verdict.record, again)
    case 'drop': {
      const update = writeDrop(verdict.record, claimant.request.uniqueRequestId)
      const dropped = await store.update(update)
      if (dropped.kind !== 'applied') return again(dropped)
      return {
        kind: 'over',
        as: 'dropped',
        by: blockingRequestIn(verdict.record, claimant.request, 'dropped'),
      }
    }
    case 'wait': {
      const update = writeWaiting(verdict.record, claimant.request)
      const written = await store.update(update)
      if (written.kind !== 'applied') return again(written)
      return again({ kind: 'found', item: written.item ?? after(item, update) })
    }
    case 'refuse':
      return { kind: 'refuse', refusal: refusalOf(named, verdict.because) }
    case 'abandonedMessage':
      return { kind: 'refuse', refusal: { ...ABANDONED, death: verdict.death } }
    case 'over':
      return { ...verdict, by: blockingRequestIn(record, claimant.request, verdict.as) }
    case 'busy':
      return { ...verdict, by: blockingRequestIn(record, claimant.request) }
    default:
      return verdict
  }
}

/** Executions begun, when the last one has ended without a word: its message may be what killed it. */
function silentAttempts(
  { run }: StageRecord,
  { request, ahead }: StageClaimRequest,
): number | undefined {
  const entry = run?.stages.get(request.stage)
  return ahead && entry?.status === 'open' ? entry.attempt : undefined
}

/** A refusal that does not say what stands there: not every engine tells. */
function isSilent(seen: Seen): boolean {
  return seen.kind === 'refused' && seen.item === undefined
}

/** By the name that its stage has in the run, which may have begun under an earlier definition. */
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
  store: StageStore,
  claimant: StageClaimRequest,
  verdict: ClaimVerdict,
  before: Item | undefined,
  again: DecideAgain,
): Promise<StageClaim> {
  const write = claimWrite(verdict, claimant.request, claimant.key)
  const outcome = await (write.kind === 'create'
    ? store.create(write.item)
    : store.update(write.update))
  if (outcome.kind !== 'applied') return again(outcome)
  const first = verdict.kind === 'start' || verdict.kind === 'begin'
  if (write.kind === 'create') return heldClaimOf(write.item, claimant, first)
  if (outcome.item !== undefined) return heldClaimOf(outcome.item, claimant, first)
  // What an attempt before has marked may have landed between the look and the claim.
  return first
    ? heldClaimOf(after(before, write.update), claimant, first)
    : again(await store.read(claimant.key))
}

function heldClaimOf(item: Item, claimant: StageClaimRequest, first: boolean): StageClaim {
  const record = readStageRecord(item)
  return record === undefined ? { kind: 'unreadable' } : heldClaim(record, claimant, first)
}

/** The condition held, so nothing that the claim rests on has changed since the look. */
function after(
  before: Item = {},
  { key, set = {}, remove = [] }: { key: StoreKey; set?: Item; remove?: readonly string[] },
): Item {
  const left = Object.entries(before).filter(([name]) => !remove.includes(name))
  return { ...key, ...Object.fromEntries(left), ...set }
}

function heldClaim(
  record: StageRecord,
  { request, refusal }: StageClaimRequest,
  first: boolean,
): StageClaim {
  const held = holdStage(record, request.stage, request.attemptId)
  if (held === undefined) return { kind: 'unreadable' }
  const { entry } = held
  return entry.status === 'open'
    ? { kind: 'claimed', held: { ...held, entry }, first, refusal }
    : { kind: 'deadLettering', held: { ...held, entry }, refusal }
}
