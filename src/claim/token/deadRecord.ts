import { keptForUndo, ttlAt } from '../../base/limits/lifetime.ts'
import { stableId } from '../../base/ids.ts'
import type { Condition, Item, StoreKey, Update } from '../../store/store.ts'
import type { Upsert } from '../itemStore.ts'
import { indexed, INDEX_ATTRIBUTES } from '../statusIndex.ts'
import type { Token } from './token.ts'

/**
 * A message that asks for the undo of a record names its consumer with it. So do its copies and its dead letters, so that nothing
 * runs them as an ordinary record: to a consumer without the option `undo`, and to version 0.1, they are those of another one.
 */
export const UNDO_SUFFIX = '.undo'

/** What the undo of a dead record needs beside its token. */
export interface KeptRecord {
  /** Number of the death that it was kept at. */
  readonly death: number
  /** Its payload, as its schema reads it. */
  readonly body: string
  /** URL or ARN of its queue. */
  readonly queue: string
  /** When the request was made, epoch milliseconds. */
  readonly sentAt: number
  /** Effects may be in SQL: the marks of the token do not show all. */
  readonly inSql: boolean
  /** Until when its undo can be asked for, epoch milliseconds. Marks in SQL expire soon after it. */
  readonly keptUntil: number
  /** On a fair queue. */
  readonly tenant?: string
}

/** Beside the token of the record. */
export function keptRecordKey(tokenPk: string): StoreKey {
  return { pk: tokenPk, sk: 'input' }
}

/**
 * Written before a record is parked as dead. A record that is redriven may die again, with the same payload. What has expired may
 * belong to an earlier request of the same id, whose deaths say nothing about this one.
 */
export function keepRecord(
  tokenPk: string,
  kept: KeptRecord,
  now: number,
  retention: number,
): Upsert {
  const key = keptRecordKey(tokenPk)
  const attributes = { ...kept, ttl: ttlAt(keptForUndo(kept.keptUntil, retention)) }
  return {
    create: { ...key, ...attributes },
    update: {
      key,
      where: [
        {
          any: [
            { field: 'death', is: '<=', value: kept.death },
            { field: 'keptUntil', is: '<=', value: now },
            { field: 'ttl', is: '<=', value: Math.floor(now / 1_000) },
          ],
        },
      ],
      set: attributes,
    },
  }
}

/** @returns undefined when it is not kept, or was not written by this version */
export function readKeptRecord(item: Item | undefined): KeptRecord | undefined {
  const { death, body, queue, sentAt, inSql, ttl, keptUntil, tenant } = item ?? {}
  if (typeof death !== 'number' || typeof sentAt !== 'number') return undefined
  if (typeof body !== 'string' || typeof queue !== 'string') return undefined
  return {
    death,
    body,
    queue,
    sentAt,
    inSql: inSql === true,
    // Version 0.2.0 kept it no longer than the undo could be asked for.
    keptUntil: typeof keptUntil === 'number' ? keptUntil : Number(ttl) * 1_000,
    ...(typeof tenant === 'string' && { tenant }),
  }
}

/** Characters of an id. */
const LONGEST_ID = 256

/** The id of the record that undoes the effects of a dead one: `r1.undo1`, so that operators see what it undoes. */
export function recordUndoId(uniqueRequestId: string, death: number): string {
  const id = `${uniqueRequestId}.undo${death}`
  return id.length > LONGEST_ID ? stableId(uniqueRequestId, String(death), 'undo') : id
}

/** Whether a token is that of an undo. */
export function isUndo(tokenPk: string): boolean {
  return /^lock#[^/]*\.undo\/.*\.undo\d+$/s.test(tokenPk)
}

/** A dead record by its token: `lock#CONSUMER/ID`. */
export interface DeadRecord {
  readonly consumer: string
  readonly id: string
  readonly death: number
}

export function deadRecordOf({ pk, death }: Pick<Token, 'pk' | 'death'>): DeadRecord {
  const [, consumer = '', id = ''] = /^lock#([^/]*)\/(.*)$/s.exec(pk) ?? []
  return { consumer, id, death }
}

/** An undo that has not ended by then is asked for again, milliseconds: its message may have been lost with its queue. */
const ASK_AGAIN_MS = 12 * 3_600_000

/** The message that asks for it is sent again. */
export function askAgain(token: Pick<Token, 'pk' | 'death'>, now: number): Update {
  return { key: tokenKeyOf(token), where: isUndoing(token), set: { dueAt: now } }
}

/** From now on the record cannot be redriven, and no transaction of its attempts can commit in SQL. */
export function startUndo(token: Token, dueAt: number): Pick<Update, 'set' | 'remove'> {
  return {
    set: {
      status: 'undoing',
      fence: token.fence + 1,
      ...indexed(token.pk, 'running', dueAt),
    },
    remove: ['leaseUntil', 'notBefore', 'resendNumber', 'confirmed'],
  }
}

export function undoAsked(token: Pick<Token, 'pk' | 'death'>, now: number): Update {
  return { key: tokenKeyOf(token), where: isUndoing(token), set: { dueAt: askAgainAt(now) } }
}

export function askAgainAt(now: number): number {
  return now + ASK_AGAIN_MS
}

/** Written before the record of the undo settles: otherwise nothing would show that it has ended. */
export function markRecordUndone(
  token: Pick<Token, 'pk' | 'death'>,
  now: number,
  retention: number,
): Update {
  return {
    key: tokenKeyOf(token),
    where: isUndoing(token),
    set: { status: 'undone', ttl: ttlAt(now + retention) },
    remove: INDEX_ATTRIBUTES,
  }
}

function isUndoing({ death }: Pick<Token, 'death'>): Condition[] {
  return [
    { field: 'status', is: '=', value: 'undoing' },
    { field: 'death', is: '=', value: death },
  ]
}

function tokenKeyOf({ pk }: Pick<Token, 'pk'>): StoreKey {
  return { pk, sk: 'token' }
}

/**
 * What each claim of a consumer with the option `undo` writes: the new fence, if that is true of all claims before. Else the marks may
 * not show all effects: without the option most calls store no start, and writes pass that have no mark.
 */
export function undoableAfter(before?: Token): { readonly undoable?: number } {
  const { fence, undoable } = before ?? { fence: 0, undoable: 0 }
  // @protects an undo is asked for only where all effects are known
  // @without its then
  return undoable === fence ? { undoable: fence + 1 } : {}
}
