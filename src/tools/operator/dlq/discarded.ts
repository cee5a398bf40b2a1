import { knownItem } from '../aws/knownItem.ts'
import { ttlAt } from '../../../library/base/limits/lifetime.ts'
import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda'
import { isObject } from '../../../library/base/kindOf.ts'
import { parseObject } from '../../../library/protocol/record/envelope/json.ts'
import { awsMessenger } from '../../../library/adapters/send/awsMessenger.ts'
import {
  outcomeOrThrow,
  type Item,
  type Store,
  type StoreKey,
} from '../../../library/protocol/store/store.ts'
import type { TableReader } from '../aws/tableReader.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { type Bound, type BoundEnd, plannedLetter, plannedOf } from './bound.ts'
import { type DeadLetter, readDeadLetter } from './deadLetter.ts'
import { findUrl } from './deadLetterQueue.ts'
import { fifoGroup } from './selectForRedrive.ts'
import { toPutBack } from './send.ts'

/**
 * A partition holds so many dead letters, so that an undo reads them with bounded memory. A message group of a FIFO queue is in one
 * partition, so that it is put back in its order.
 */
const PER_PARTITION = 200
/** Bytes of a row's text before base64: an item of DynamoDB may have 400 KB. */
const PART = 250_000

interface Discarding {
  readonly plan: string
  readonly planned: number
}

function partitionsOf({ plan, planned }: Discarding): readonly string[] {
  const count = Math.max(1, Math.ceil(planned / PER_PARTITION))
  return Array.from({ length: count }, (_, at) => `discarded#${plan}/${at}`)
}

/**
 * Keeps dead letters in the table until `until`, epoch milliseconds. A dead letter that was kept before a kill is kept once.
 */
export function keepInTable(
  store: Store,
  discarding: Discarding,
  until: number,
): (deadLetters: readonly DeadLetter[]) => Promise<void> {
  const partitions = partitionsOf(discarding)
  const ttl = ttlAt(until)
  const keep = async (deadLetter: DeadLetter): Promise<void> => {
    const { messageId } = deadLetter.record
    const together = fifoGroup(deadLetter) ?? messageId
    const pk = partitions[hash('sha256', together, 'buffer').readUInt32BE(0) % partitions.length]
    const text = gzipSync(textOf(deadLetter.record)).toString('base64')
    const parts = Math.ceil(text.length / PART)
    // The first part comes last: where it is, all are.
    for (let part = parts - 1; part >= 0; part--) {
      const row = {
        pk: pk ?? '',
        sk: `${messageId}#${String(part).padStart(3, '0')}`,
        text: text.slice(part * PART, (part + 1) * PART),
        parts,
        ttl,
      }
      outcomeOrThrow(await store.create([row]))
    }
  }
  return async (deadLetters) => void (await Promise.all(deadLetters.map(keep)))
}

function textOf({ messageId, eventSourceARN, ...record }: SQSRecord): string {
  const { attributes, messageAttributes, body } = record
  const queue = eventSourceARN
  return JSON.stringify({ version: 1, messageId, queue, attributes, messageAttributes, body })
}

/** @returns undefined for a text that is not one of a dead letter */
function recordIn(text: string): SQSRecord | undefined {
  const { version, messageId, queue, attributes, messageAttributes, body } = parseObject(text) ?? {}
  if (version !== 1 || typeof messageId !== 'string' || typeof queue !== 'string') return undefined
  if (!isObject(attributes) || !isObject(messageAttributes) || typeof body !== 'string') {
    return undefined
  }
  return {
    messageId,
    receiptHandle: '',
    body,
    attributes: attributes as object as SQSRecord['attributes'],
    messageAttributes: messageAttributes as SQSMessageAttributes,
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: queue,
    awsRegion: queue.split(':')[3] ?? '',
  }
}

interface RestoreOptions extends Discarding, Bound {
  readonly sqs: SQSClient
  readonly store: Store
  readonly reader: Pick<TableReader, 'partition'>
  readonly now: number
  readonly signal?: AbortSignal | undefined
  /** Default `plan`: nothing is sent. */
  readonly mode?: 'plan' | 'apply'
}

export interface RestoreReport {
  readonly mode: 'plan' | 'apply'
  /** Kept, and not put back yet when the run came to them. */
  readonly kept: number
  readonly restored: number
  /** Not accepted by their queue, too large, or behind such a one of their message group: they stay in the table. */
  readonly refused: number
  /** Some come from a FIFO queue: they are put back in their order, behind those that are on the queue. */
  readonly fifo: boolean
  readonly error: string | undefined
  readonly ended: BoundEnd
}

/**
 * Puts discarded dead letters back on the queue that they were on. Killed between send and mark, it sends one again: two dead
 * letters of one request, which runs once.
 */
export async function restoreDiscarded(options: RestoreOptions): Promise<RestoreReport> {
  const { mode = 'plan', signal, onPlanned, onPage } = options
  const planned = plannedOf(options)
  const putBack = putBackOn(options)
  const counts = { kept: 0, restored: 0, refused: 0 }
  const stuck = new Set<string>()
  let fifo = false
  let error: string | undefined
  const end = (ended: BoundEnd): RestoreReport => ({ mode, ...counts, fifo, error, ended })

  for await (const kept of keptDeadLetters(options)) {
    if (signal?.aborted === true) return end('aborted')
    const { messageId } = kept.record
    if (!planned.has(messageId)) continue
    counts.kept += 1
    const group = fifoGroup(kept)
    fifo ||= group !== undefined
    if (mode === 'plan') {
      onPlanned?.(plannedLetter(kept))
      continue
    }
    // @protects no dead letter is put back before one of its message group that was refused
    // @without await putBack(kept) @tests test/tools/operator/fifoOrder
    const refusal = group !== undefined && stuck.has(group) ? BEHIND : await putBack(kept)
    error ??= refusal?.message
    if (refusal !== undefined && group !== undefined) stuck.add(group)
    counts[refusal === undefined ? 'restored' : 'refused'] += 1
    const orders = await onPage?.(counts.restored)
    if (orders !== undefined) return end(orders)
  }
  return end('complete')
}

/** @returns sends a dead letter and marks its rows; resolves to why it was not accepted */
function putBackOn({
  sqs,
  store,
}: Pick<RestoreOptions, 'sqs' | 'store'>): (kept: Kept) => Promise<Error | undefined> {
  const messenger = awsMessenger({ sqs })
  const urls = new Map<string, string>()
  return async ({ rows, ...deadLetter }) => {
    const home = deadLetter.record.eventSourceARN
    const url = urls.get(home) ?? (await findUrl(sqs, home))
    urls.set(home, url)
    const message = toPutBack(deadLetter)
    if (message === undefined) return new Error(TOO_LARGE)
    const [refusal] = await messenger.send(url, [message])
    if (refusal !== undefined) return refusal
    for (const key of rows) {
      const where = [{ exists: 'pk' }] as const
      outcomeOrThrow(await store.update([{ key, where, set: { restored: true } }]))
    }
    return undefined
  }
}

const BEHIND = new Error('one of its message group before it was refused')
const TOO_LARGE = 'with its identity it exceeds the size of an SQS message'

type Kept = DeadLetter & { readonly rows: readonly StoreKey[] }

async function* keptDeadLetters(options: RestoreOptions): AsyncGenerator<Kept> {
  for await (const whole of readKept(options)) {
    const kept = whole.flatMap(({ rows, deadLetter }) => {
      const isLeft = deadLetter !== undefined && rows[0]?.['restored'] !== true
      return isLeft ? [{ ...deadLetter, rows: rows.map(itemKey) }] : []
    })
    // @protects a message group that was discarded is put back in its order
    // @without yield* kept @tests test/tools/operator/fifoOrder
    yield* kept.toSorted(bySequence)
  }
}

/** SQS numbers the messages of a FIFO queue; all numbers have one length, so that they compare as text. */
function bySequence({ record: one }: DeadLetter, { record: other }: DeadLetter): number {
  const [before = '', after = ''] = [one, other].map(({ attributes }) => attributes.SequenceNumber)
  return before < after ? -1 : Number(before > after)
}

interface KeptRows {
  /** In the order of its text. */
  readonly rows: readonly Item[]
  /** undefined: it is not whole, or was erased. */
  readonly deadLetter: DeadLetter | undefined
}

/** All that a discard has kept, by partition, also what was put back. A ttl that has passed counts as long as the row is there. */
export async function* readKept(
  options: Discarding & Pick<RestoreOptions, 'reader' | 'now'>,
): AsyncGenerator<readonly KeptRows[]> {
  for (const pk of partitionsOf(options)) {
    const rows = (await options.reader.partition(pk)).map(knownItem)
    const byMessage = Map.groupBy(rows, (row) => itemKey(row).sk.replace(/#\d+$/, ''))
    yield [...byMessage.values()].map((parts) => {
      const sorted = parts.toSorted((one, other) => (itemKey(one).sk < itemKey(other).sk ? -1 : 1))
      return { rows: sorted, deadLetter: deadLetterIn(sorted, options.now) }
    })
  }
}

function deadLetterIn(sorted: readonly Item[], now: number): DeadLetter | undefined {
  if (sorted.length !== sorted[0]?.['parts']) return undefined
  const text = sorted.map(({ text: part }) => (typeof part === 'string' ? part : '')).join('')
  const record = recordIn(gunzipSync(Buffer.from(text, 'base64')).toString())
  return record && readDeadLetter(record, now)
}
