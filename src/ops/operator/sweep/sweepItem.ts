import { type Awaiting, readAwaiting } from '../../../claim/awaiting/awaiting.ts'
import { buildMessage } from '../../../record/envelope/buildMessage.ts'
import { QueueRefusedError } from '../../../errors.ts'
import { writeEnding } from '../../../flow/endRun.ts'
import { fifoOrder } from '../../../flow/fifo.ts'
import { stageStore } from '../../../flow/stageStore.ts'
import { TIMEOUT_BODY } from '../../../flow/timeout.ts'
import { stableId } from '../../../ids.ts'
import { queuePendingEvent } from '../../../idempotency/pendingEvents.ts'
import { expireKey } from '../../../claim/token/endKey.ts'
import { readToken } from '../../../claim/token/token.ts'
import type { Logger } from '../../../logger.ts'
import type { Messenger } from '../../../queue/messenger.ts'
import { decideAbandon } from '../../../claim/stage/abandonRun.ts'
import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import { INDEX } from '../../../claim/stage/statusIndex.ts'
import type { Item, StoreKey, Store } from '../../../store/store.ts'
import { isIdempotencyKey } from '../../address.ts'

/**
 * `freed`: its run was ended. `queued`: an accepted event. `reminded`: its timeout was sent. `unlisted`: nothing was left to
 * do. `overdue`: somebody may still be at it, or its message is gone. `waiting`: for a person.
 */
export type SweepOutcome =
  | 'freed'
  | 'queued'
  | 'reminded'
  | 'unlisted'
  | 'overdue'
  | 'waiting'
  | 'failed'

interface SweepContext {
  readonly store: Store
  readonly messenger: Messenger
  readonly logger: Logger
  readonly retention: number
  readonly now: number
}

/** What the index shows may be a second old: the item itself decides. */
export async function sweepItem(key: StoreKey, sweeping: SweepContext): Promise<SweepOutcome> {
  const [read] = await sweeping.store.read([key], { consistent: true })
  if (read === undefined || read.kind === 'failed') throw read?.error ?? new Error('no outcome')
  const { item } = read
  if (item?.['statusShard'] === undefined || Number(item['dueAt']) > sweeping.now) return 'unlisted'
  if (item['status'] === 'accepted') return sweepAccepted(key, sweeping)
  if (key.sk === 'stage') return sweepStage(item, sweeping)
  if (key.sk.startsWith('await#')) return sweepAwaiting(item, sweeping)
  if (await expireUnusedKey(item, sweeping)) return 'unlisted'
  return logTask(key, item, sweeping.logger)
}

async function sweepAccepted(
  key: StoreKey,
  { store, messenger, now }: SweepContext,
): Promise<'queued' | 'unlisted'> {
  const outcome = await queuePendingEvent(store, messenger, key, now)
  return outcome === 'queued' ? 'queued' : 'unlisted'
}

const MAX_ROUNDS = 4

/** First whoever is left is fenced, then the run is ended; nobody can come in between unseen. */
async function sweepStage(first: Item, sweeping: SweepContext): Promise<SweepOutcome> {
  const { store, logger, retention, now } = sweeping
  const stages = stageStore(store)
  let item: Item | undefined = first
  for (let round = 0; round < MAX_ROUNDS && item !== undefined; round++) {
    const record = readStageRecord(item)
    if (record === undefined) throw new Error('written by a newer version, or by hand')
    const giving = decideAbandon(record, { retention, now })
    if (giving.kind === 'keep') return record.run === undefined ? 'unlisted' : 'overdue'
    const outcome =
      giving.kind === 'abandon'
        ? await stages.update(giving.update)
        : await writeEnding(stages, giving.ending)
    if (outcome.kind === 'failed') throw outcome.error
    if (giving.kind === 'end' && outcome.kind === 'applied') {
      logger.warn('abandoned: its time limit is exhausted, and its key is free', {
        ...record.key,
        uniquerequestid: record.run?.uniqueRequestId,
        ended: giving.ending.as,
      })
      return 'freed'
    }
    const again = await stages.read(record.key)
    if (again.kind === 'failed') throw again.error
    item = again.item
  }
  return 'overdue'
}

/** A step whose run is over waits for nothing; one whose reminder got lost is reminded again. */
async function sweepAwaiting(item: Item, sweeping: SweepContext): Promise<SweepOutcome> {
  const awaiting = readAwaiting(item)
  if (awaiting === undefined) throw new Error('written by a newer version, or by hand')
  const { store } = sweeping
  const [record] = await store.read([{ pk: awaiting.key.pk, sk: 'stage' }], { consistent: true })
  if (record === undefined || record.kind === 'failed')
    throw record?.error ?? new Error('no outcome')
  const run = record.item && readStageRecord(record.item)?.run
  if (run?.uniqueRequestId !== awaiting.uniqueRequestId) return unlist(awaiting, sweeping)
  return resendTimeout(awaiting, item, sweeping)
}

async function unlist(awaiting: Awaiting, { store }: SweepContext): Promise<'unlisted'> {
  const where = [{ field: 'until', is: '=', value: awaiting.until } as const]
  const [outcome] = await store.update([{ key: awaiting.key, where, remove: INDEX }])
  if (outcome?.kind === 'failed') throw outcome.error
  return 'unlisted'
}

/** The message decides on its own whether it is still needed: sent twice it does nothing twice. */
async function resendTimeout(
  awaiting: Awaiting,
  item: Item,
  sweeping: SweepContext,
): Promise<'reminded' | 'overdue'> {
  const { key, uniqueRequestId, epoch } = awaiting
  const { queueUrl, sentAt, from } = item
  const { messenger, now } = sweeping
  if (typeof queueUrl !== 'string' || typeof sentAt !== 'number' || typeof from !== 'string') {
    return 'overdue'
  }
  const [, name = '', flowKey = ''] = /^flow#([^/]+)\/(.*)$/s.exec(key.pk) ?? []
  const id = stableId(key.pk, key.sk, 'timeout', String(now))
  const message = buildMessage(
    JSON.stringify(TIMEOUT_BODY),
    {},
    {
      uniqueRequestId: id,
      retry: 0,
      hops: 0,
      sentAt: now,
      flow: { name, key: flowKey, id: uniqueRequestId, epoch, sentAt, from, timeout: true },
    },
  )
  const order = fifoOrder(queueUrl, flowKey, id)
  const [refusal] = await messenger.send(queueUrl, [{ ...message, ...order }])
  if (refusal !== undefined) throw new QueueRefusedError(refusal.message, { cause: refusal })
  await postpone(awaiting, item, sweeping)
  return 'reminded'
}

const FIRST_PAUSE_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 12 * 3_600_000

/**
 * The consumer may be paused, with the reminder on its queue: without a growing pause each sweep would add one more. Only the
 * time of listing moves; `until`, which decides, stays.
 */
async function postpone(
  { key, until }: Awaiting,
  { dueAt }: Item,
  { store, now }: SweepContext,
): Promise<void> {
  if (typeof dueAt !== 'number') return
  const pause = Math.min(Math.max(now - until, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
  const where = [
    { field: 'until', is: '=', value: until },
    { field: 'dueAt', is: '=', value: dueAt },
  ] as const
  const [outcome] = await store.update([{ key, where, set: { dueAt: now + pause } }])
  if (outcome?.kind === 'failed') throw outcome.error
}

/** As long as somebody may wonder what became of the call. */
const FORGET_AFTER_MS = 86_400_000

/** A message whose attempt died comes again; a key may never be called again, and such keys would fill the index. */
async function expireUnusedKey(item: Item, { store, logger, now }: SweepContext): Promise<boolean> {
  const token = readToken(item)
  if (token?.status !== 'inProgress' || !isIdempotencyKey(token.pk)) return false
  if (token.leaseUntil === 0 || token.leaseUntil + FORGET_AFTER_MS > now) return false
  const [outcome] = await store.update([expireKey(token, now)])
  if (outcome?.kind === 'failed') throw outcome.error
  if (outcome?.kind !== 'applied') return false
  const { pk, lockedBy, created, attempt } = item
  logger.warn('its holder died a day ago, and the key was not called again: no longer listed', {
    pk,
    lockedBy,
    created,
    attempt,
  })
  return true
}

const PARKED: readonly unknown[] = ['error', 'unknown']

/** One line with what a person needs to search for. */
function logTask({ pk, sk }: StoreKey, item: Item, logger: Logger): 'overdue' | 'waiting' {
  const { status, attempt, lockedBy, created, expectedCompletion, reason, error } = item
  const line = { pk, sk, status, attempt, lockedBy, created, expectedCompletion, reason, error }
  if (PARKED.includes(status) || sk.startsWith('dead#')) {
    logger.info('waits for an operator', line)
    return 'waiting'
  }
  logger.warn('overdue: its attempt was lost, or its message is gone', line)
  return 'overdue'
}
