import { stableId } from '../../../library/base/ids.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import type { CountedRecord } from './finding.ts'
import { itemIn, type ReadItem } from '../../../library/entries/sweeper/due/listDue.ts'
import { type Cause, causeOf, errorShape } from '../dlq/errorShape.ts'
import { type DeadLetter, movedFrom } from '../dlq/deadLetter.ts'
import { fateKeys, hasLostRecord } from '../dlq/watch.ts'
import { readToken, tokenKey } from '../../../library/protocol/claim/token/token.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { isReopened } from '../explain/tokenState.ts'
import type { Task } from '../item/task.ts'
import { formatValue, timeIn } from '../text/humanTime.ts'
import { displayId } from '../text/itemId.ts'
import type { Origin, ToldRecord } from './untold.ts'

export interface LetterRecords {
  /** When each was sent whose record says that its outcome is unknown: that is looked up first, whatever becomes of the letter. */
  readonly inDoubt: readonly number[]
  /** Those that an operator lets run again. */
  readonly reopened: number
  /** When each was sent whose record is gone: its consumer refuses it. */
  readonly lost: readonly number[]
  /** Each record that they name. */
  readonly records: readonly CountedRecord[]
  /** What their records tell of those that have no error. */
  readonly told: readonly ToldRecord[]
  /** From where SQS has moved them. undefined: it has not, or does not say. */
  readonly origin: Origin | undefined
}

/** The same in each look, and not the id of a request, which may be personal. */
export function recordName({ pk, sk }: StoreKey): string {
  return stableId('record', pk, sk).slice(0, NAME)
}

/** 72 bits: two of some thousand records have different ones. */
const NAME = 12

/** As that of its dead letter. */
export function causeOfTask({ reason, status, error = '' }: Task): Cause | undefined {
  return causeOf(reason ?? status, errorShape(error))
}

interface Known {
  readonly inDoubt: number[]
  reopened: number
  readonly lost: number[]
  readonly records: CountedRecord[]
  readonly told: ToldRecord[]
  origin: Origin | undefined
}

/** Reads records of the table. undefined: that is denied. */
export type ReadRecords = (keys: readonly StoreKey[]) => Promise<readonly ReadItem[] | undefined>

interface Reading {
  readonly read: ReadRecords
  /** Names of the functions that read the queue of this ARN, as far as they are known. */
  functionsOf(queueArn: string): Promise<readonly string[]>
}

export function recordsByGroup({ read, functionsOf }: Reading): {
  /** One read of the table for a page. */
  look(deadLetters: readonly DeadLetter[]): Promise<void>
  of(group: string): LetterRecords
} {
  const groups = new Map<string, Known>()
  return {
    async look(deadLetters) {
      const sought = await Promise.all(deadLetters.map(async (each) => soughtOf(each, functionsOf)))
      const keys = sought.map((each) => each.keys)
      const items = [...(keys.flat().length === 0 ? [] : ((await read(keys.flat())) ?? []))]
      for (const [at, each] of deadLetters.entries()) {
        const known = groups.get(each.group) ?? none()
        groups.set(each.group, known)
        const { keys: asked = [], isGuess = false, origin } = sought[at] ?? {}
        known.origin ??= origin
        const own = items.splice(0, asked.length)
        const found = own.flatMap((item) => (item.kind === 'found' ? [itemIn(item)] : []))
        if (isGuess) {
          const items = found.filter((item) => item !== undefined)
          known.records.push(...items.map((item) => ({ name: recordName(itemKey(item)) })))
          for (const item of items) tell(known, item)
        } else {
          known.records.push(...asked.map((key) => ({ name: recordName(key) })))
          if (own.length > 0 && found.length === own.length) add(known, each, found)
        }
      }
    },
    of: (group) => groups.get(group) ?? none(),
  }
}

function none(): Known {
  return { inDoubt: [], reopened: 0, lost: [], records: [], told: [], origin: undefined }
}

interface Sought {
  readonly keys: readonly StoreKey[]
  /** Its consumer does not stand on it: these are the usual names. */
  readonly isGuess: boolean
  readonly origin: Origin | undefined
}

/** A first message names no consumer; most are named like their queue, or like their function. */
async function soughtOf(
  deadLetter: DeadLetter,
  functionsOf: Reading['functionsOf'],
): Promise<Sought> {
  const arn = movedFrom(deadLetter.record)
  const queue = arn?.split(':').at(-1)
  const functions = arn === undefined ? [] : await functionsOf(arn)
  const origin = queue === undefined ? undefined : { queue, functions }
  const keys = fateKeys(deadLetter)
  if (keys.length > 0 || queue === undefined) return { keys, isGuess: false, origin }
  const names = new Set([queue, queue.replace(/\.fifo$/, ''), ...functions.slice(0, NAMES)])
  const guessed = [...names].map((name) => tokenKey(name, deadLetter.uniqueRequestId))
  return { keys: guessed, isGuess: true, origin }
}

/** More functions than read a queue. */
const NAMES = 3

/** Without an error, an attempt that began and never ended is all that the record knows. */
function tell(known: Known, item: Item): void {
  const token = readToken(item)
  const { pk } = itemKey(item)
  const { error, attempt, leaseUntil = 0 } = token ?? {}
  const isLost = token?.status === 'inProgress' && leaseUntil > 0
  const lostAt = isLost ? timeIn(item['created']) : undefined
  known.told.push({ id: displayId(pk), error, attempt, lostAt })
}

function add(known: Known, deadLetter: DeadLetter, items: readonly (Item | undefined)[]): void {
  const { sentAt, reason, error } = deadLetter
  if (hasLostRecord(deadLetter, items)) known.lost.push(sentAt)
  for (const item of items) {
    const status = formatValue(item?.['statusShard']).split('#')[0]
    if (status === 'unknown' && reason === 'unknown') known.inDoubt.push(sentAt)
    const token = item && readToken(item)
    if (token !== undefined && isReopened(token)) known.reopened += 1
    if (error === '' && item !== undefined) tell(known, item)
  }
}
