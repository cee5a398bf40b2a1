import type { Refused } from '../batch/protocol.ts'
import type { Over } from '../hold/hold.ts'
import { claimWrite, type Request } from '../stage/claimWrite.ts'
import { writeDrop, writeWaiting } from '../stage/conflictWrites.ts'
import type { Closing } from '../stage/endRun.ts'
import { decideGiveUp } from '../stage/giveUp.ts'
import { type Held, holdStage } from '../stage/held.ts'
import { knownKeys, readKnown } from '../stage/known.ts'
import type { DyingEntry } from '../stage/stageEntry.ts'
import { readStageRecord, type StageRecord } from '../stage/stageRecord.ts'
import type { ClaimVerdict, Verdict } from '../stage/verdict.ts'
import type { Item, Key, ReadOutcome, WriteOutcome } from '../store/store.ts'
import { carryOut } from './ending.ts'
import type { StageStore } from './stageStore.ts'

export type StageClaim =
  | { readonly kind: 'claimed'; readonly held: Held }
  | { readonly kind: 'burying'; readonly held: Held<DyingEntry> }
  | { readonly kind: 'held' | 'busy' | 'early'; readonly until: number }
  | { readonly kind: 'replaced' | 'unreadable' }
  | { readonly kind: 'over'; readonly as: Over }
  | { readonly kind: 'refuse'; readonly refusal: Refused }
  | { readonly kind: 'failed'; readonly error: Error }

export interface Claimant {
  readonly key: Key
  readonly request: Request
  /** Not before, epoch milliseconds: a delay longer than a queue can keep it. */
  readonly notBefore: number
  decide(record: StageRecord | undefined, request: Request): Verdict
  sleep(milliseconds: number): Promise<void>
  /** What the dead letter says when there is no run to bury. */
  readonly refusal: { readonly reason: string; readonly error: string }
  readonly closing: Closing
}

/** A rival that changes the record between look and write costs a round; then the message comes back a little later. */
const ROUNDS = 8
const CONTENDED_MS = 1_000

/** From what stands in the table to a verdict, and from the verdict to the write it asks for, until one of them holds. */
export async function claimStage(store: StageStore, claimant: Claimant): Promise<StageClaim> {
  const claim = await follow(store, claimant, await store.read(claimant.key), ROUNDS)
  return claim.kind === 'busy' && claimant.request.after !== undefined
    ? claimAfter(store, claimant, claim)
    : claim
}

/** The stage that handed on is about to settle: mostly it has within milliseconds, and a delivery is saved. */
async function claimAfter(
  store: StageStore,
  claimant: Claimant,
  busy: StageClaim,
): Promise<StageClaim> {
  let claim = busy
  for (const pause of PAUSES_MS) {
    if (claim.kind !== 'busy') return claim
    await claimant.sleep(pause)
    claim = await follow(store, claimant, await store.read(claimant.key), ROUNDS)
  }
  return claim
}

const PAUSES_MS = [10, 20, 40, 80]

type Seen = ReadOutcome | WriteOutcome

async function follow(
  store: StageStore,
  claimant: Claimant,
  seen: Seen,
  rounds: number,
): Promise<StageClaim> {
  if (seen.kind === 'failed') return seen
  const { item } = seen
  const record = item === undefined ? undefined : readStageRecord(item)
  if (item !== undefined && record === undefined) return { kind: 'unreadable' }
  if (rounds === 0) return { kind: 'held', until: claimant.closing.now + CONTENDED_MS }
  const verdict = claimant.decide(record, claimant.request)
  const again = async (next: Seen, request = claimant.request): Promise<StageClaim> =>
    follow(store, { ...claimant, request }, next, rounds - 1)
  switch (verdict.kind) {
    case 'start':
    case 'begin':
      if (claimant.notBefore > claimant.closing.now) {
        return { kind: 'early', until: claimant.notBefore }
      }
      return claim(store, claimant, verdict, item, again)
    case 'takeOver':
    case 'bury':
    case 'reopen':
    case 'revive':
      return claim(store, claimant, verdict, item, again)
    case 'mine':
    case 'burying':
      return grip(verdict.record, claimant)
    case 'lookUp':
      return lookUp(store, claimant, verdict.epoch, seen, again)
    case 'giveUp':
      return giveUp(store, claimant, verdict.record, again)
    case 'drop': {
      const update = writeDrop(verdict.record, claimant.request.uniqueRequestId)
      const dropped = await store.update(update)
      return dropped.kind === 'applied' ? { kind: 'over', as: 'dropped' } : again(dropped)
    }
    case 'wait': {
      const update = writeWaiting(verdict.record, claimant.request)
      const written = await store.update(update)
      if (written.kind !== 'applied') return again(written)
      return again({ kind: 'found', item: written.item ?? after(item, update) })
    }
    case 'refuse':
      return { kind: 'refuse', refusal: refusalOf(claimant, verdict.because) }
    case 'orphan':
      return { kind: 'refuse', refusal: { ...ABANDONED, death: verdict.death } }
    default:
      return verdict
  }
}

type Again = (next: Seen, request?: Request) => Promise<StageClaim>

async function claim(
  store: StageStore,
  claimant: Claimant,
  verdict: ClaimVerdict,
  before: Item | undefined,
  again: Again,
): Promise<StageClaim> {
  const write = claimWrite(verdict, claimant.request, claimant.key)
  const outcome = await (write.kind === 'create'
    ? store.create(write.item)
    : store.update(write.update))
  if (outcome.kind !== 'applied') return again(outcome)
  if (write.kind === 'create') return gripItem(write.item, claimant)
  if (outcome.item !== undefined) return gripItem(outcome.item, claimant)
  // What an attempt before has marked may have landed between the look and the claim.
  return verdict.kind === 'start' || verdict.kind === 'begin'
    ? gripItem(after(before, write.update), claimant)
    : again(await store.read(claimant.key))
}

function gripItem(item: Item, claimant: Claimant): StageClaim {
  const record = readStageRecord(item)
  return record === undefined ? { kind: 'unreadable' } : grip(record, claimant)
}

/** The condition held, so nothing that the claim rests on has changed since the look. */
function after(
  before: Item = {},
  { key, set = {}, remove = [] }: { key: Key; set?: Item; remove?: readonly string[] },
): Item {
  const left = Object.entries(before).filter(([name]) => !remove.includes(name))
  return { ...key, ...Object.fromEntries(left), ...set }
}

function grip(record: StageRecord, { request }: Claimant): StageClaim {
  const held = holdStage(record, request.stage, request.attemptId)
  if (held === undefined) return { kind: 'unreadable' }
  const { entry } = held
  return entry.status === 'open'
    ? { kind: 'claimed', held: { ...held, entry } }
    : { kind: 'burying', held: { ...held, entry } }
}

async function lookUp(
  store: StageStore,
  { key, request }: Claimant,
  epoch: number,
  seen: Seen,
  again: Again,
): Promise<StageClaim> {
  const [parkedKey, receiptKey] = knownKeys(key, request.uniqueRequestId)
  const [parked, receipt] = await Promise.all([store.read(parkedKey), store.read(receiptKey)])
  if (parked.kind === 'failed') return parked
  if (receipt.kind === 'failed') return receipt
  const known = readKnown(epoch, [parked.item, receipt.item])
  return known === undefined ? { kind: 'unreadable' } : again(seen, { ...request, known })
}

/** The run in the way has no time left, and nobody is at work on it: it is ended, whoever finds it. */
async function giveUp(
  store: StageStore,
  { key, closing }: Claimant,
  record: StageRecord,
  again: Again,
): Promise<StageClaim> {
  const giving = decideGiveUp(record, closing)
  if (giving.kind === 'abandon') {
    const outcome = await store.update(giving.update)
    if (outcome.kind === 'failed') return outcome
  }
  if (giving.kind === 'end') {
    const outcome = await carryOut(store, giving.ending)
    if (outcome.kind === 'failed') return outcome
  }
  return again(await store.read(key))
}

const ABANDONED = {
  reason: 'abandoned',
  error: 'its flow was given up: it had not ended by the time it may run (giveUpAfter)',
} as const

function refusalOf({ refusal, request }: Claimant, because: 'refused' | 'expired'): Refused {
  const why =
    because === 'refused'
      ? refusal
      : { reason: 'too old', error: 'it came after the time it may run (giveUpAfter)' }
  return { ...why, death: request.death }
}
