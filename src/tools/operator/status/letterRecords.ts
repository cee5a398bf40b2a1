import { stableId } from '../../../library/base/ids.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import type { CountedRecord } from './finding.ts'
import { itemIn, type ReadItem } from '../../../library/entries/sweeper/due/listDue.ts'
import { type Cause, causeOf, errorShape } from '../text/errorShape.ts'
import { type DeadLetter, movedFrom } from '../dlq/deadLetter.ts'
import { fateKeys, hasLostRecord } from '../dlq/watch.ts'
import { readToken, tokenKey } from '../../../library/protocol/claim/token/token.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { isReopened } from '../explain/tokenState.ts'
import type { Task } from '../item/task.ts'
import { formatValue } from '../text/humanTime.ts'
import { type ToldRecord, toldOfRun, toldOfToken } from './toldRecord.ts'

export interface LetterRecords {
  /** When each was sent whose record says that its outcome is unknown: that is looked up first, whatever becomes of the letter. */
  readonly inDoubt: readonly number[]
  /** Those that an operator lets run again. */
  readonly reopened: number
  /** When each was sent whose record is gone: its consumer refuses it. */
  readonly lost: readonly number[]
  /** Each record that they name. */
  readonly records: readonly CountedRecord[]
  /** What the records tell of those that have no error: one of each letter. */
  readonly told: readonly ToldRecord[]
  /** How many have no error, and records that were not read: denied, or not known to this version. */
  readonly notRead: number
  /** From where SQS has moved them: a stage's letters may come from several. */
  readonly sources: readonly LetterSource[]
}

/** A queue from which SQS has moved letters. */
export interface LetterSource {
  readonly queue: string
  /** Which read that queue, as far as they are known. */
  readonly functions: readonly string[]
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
  notRead: number
  readonly sources: LetterSource[]
}

/** Reads records of the table. undefined: that is denied. */
export type ReadRecords = (keys: readonly StoreKey[]) => Promise<readonly ReadItem[] | undefined>

interface Reading {
  readonly read: ReadRecords
  /** Names of the functions that read the queue of this ARN. undefined: they could not be listed. */
  functionsOf(queueArn: string): Promise<readonly string[] | undefined>
  /** Epoch milliseconds. */
  readonly now: number
}

export function recordsByGroup({ read, functionsOf, now }: Reading): {
  /** One read of the table for a page. */
  look(deadLetters: readonly DeadLetter[]): Promise<void>
  of(group: string): LetterRecords
} {
  const groups = new Map<string, Known>()
  return {
    async look(deadLetters) {
      const sought = await Promise.all(deadLetters.map(async (each) => soughtOf(each, functionsOf)))
      const keys = sought.flatMap((each) => each.keys)
      const answer = keys.length === 0 ? [] : await read(keys)
      const items = [...(answer ?? [])]
      for (const [at, deadLetter] of deadLetters.entries()) {
        const known = groups.get(deadLetter.group) ?? none()
        groups.set(deadLetter.group, known)
        const of = sought[at]
        if (of === undefined) continue
        addSource(known, of.source)
        add(known, deadLetter, { ...of, seen: items.splice(0, of.keys.length) }, now)
      }
    },
    of: (group) => groups.get(group) ?? none(),
  }
}

function none(): Known {
  return { inDoubt: [], reopened: 0, lost: [], records: [], told: [], notRead: 0, sources: [] }
}

interface Sought {
  readonly keys: readonly StoreKey[]
  /** Its consumer does not stand on it: these are the usual names. */
  readonly isGuess: boolean
  /** It may have other names, which were not found out. */
  readonly isPart: boolean
  readonly source: LetterSource | undefined
}

interface Found extends Sought {
  /** In the order of the keys. Empty: denied. */
  readonly seen: readonly ReadItem[]
}

/** A first message names no consumer; most are named like their queue, or like their function. */
async function soughtOf(
  deadLetter: DeadLetter,
  functionsOf: Reading['functionsOf'],
): Promise<Sought> {
  const arn = movedFrom(deadLetter.record)
  const queue = arn?.split(':').at(-1)
  const listed = arn === undefined ? [] : await functionsOf(arn)
  const functions = listed ?? []
  const source = queue === undefined ? undefined : { queue, functions }
  const keys = fateKeys(deadLetter)
  if (keys.length > 0 || queue === undefined) {
    return { keys, isGuess: false, isPart: false, source }
  }
  const names = new Set([queue, queue.replace(/\.fifo$/, ''), ...functions.slice(0, NAMES)])
  const guessed = [...names].map((name) => tokenKey(name, deadLetter.uniqueRequestId))
  return { keys: guessed, isGuess: true, isPart: listed === undefined, source }
}

/** More functions than read a queue. */
const NAMES = 3

function addSource({ sources }: Known, source: LetterSource | undefined): void {
  if (source === undefined || sources.some(({ queue }) => queue === source.queue)) return
  sources.push(source)
}

function add(known: Known, deadLetter: DeadLetter, found: Found, now: number): void {
  const { keys, isGuess, isPart, seen } = found
  const items = seen.map(itemIn)
  const wasRead = seen.length === keys.length && seen.every(({ kind }) => kind === 'found')
  const there = items.filter((item) => item !== undefined)
  const named = isGuess ? there.map(itemKey) : keys
  known.records.push(...named.map((key) => ({ name: recordName(key) })))
  const isLost = !isGuess && wasRead && hasLostRecord(deadLetter, items)
  if (isLost) known.lost.push(deadLetter.sentAt)
  if (!isGuess && wasRead) addDecided(known, deadLetter, there)
  if (deadLetter.error !== '' || isLost) return
  const told =
    deadLetter.envelope.carried.flow === undefined
      ? there.flatMap((item) => toldOfToken(item, now) ?? [])
      : [toldOfRun(deadLetter, items, now) ?? []].flat()
  const best = told.find(({ error }) => error !== undefined) ?? told[0]
  if (best !== undefined) known.told.push(best)
  else if (isPart || !wasRead || there.length > 0) known.notRead += 1
}

function addDecided(known: Known, { sentAt, reason }: DeadLetter, items: readonly Item[]): void {
  for (const item of items) {
    const status = formatValue(item['statusShard']).split('#')[0]
    if (status === 'unknown' && reason === 'unknown') known.inDoubt.push(sentAt)
    const token = readToken(item)
    if (token !== undefined && isReopened(token)) known.reopened += 1
  }
}
