import { hasExpired } from '../../../base/limits/lifetime.ts'
import type { Condition, Item, StoreKey, Value } from '../../store/store.ts'
import { FINGERPRINT_LENGTH, DIGEST_LENGTH, isVersion } from './version.ts'
import { readEntry, type StageEntry } from './stageEntry.ts'

/** `newest`: only the newest state of a key matters. `every`: each request has to run. */
export type Process = 'newest' | 'every'

/**
 * The one item per flow and key: who may run which stage. Flat, in the table:
 * `process`, `epoch`, `fence`, `newest`, `waiting`, `dropped`, `ended`, `payloads`, `forgotten`, `last`, `payload`, `by`, `failures`, `ttl`, and
 * while a request runs
 * `uniquerequestid`, `giveUpAt`, `stage:<name>` (see StageEntry), `applied`, `restored`, `reopened`, `continuable`, `statusShard`, `dueAt`.
 */
export interface StageRecord {
  readonly key: StoreKey
  /** The option `process` of its flow when the record began. Each of the two remembers ended requests in its own way. */
  readonly process: Process
  /** Grows with each start and each reset. Messages of an earlier run carry a smaller number. */
  readonly epoch: number
  /** Grows with each claim of any stage. While it is unchanged, no stage has been claimed. */
  readonly fence: number
  /** undefined: the flow is idle. */
  readonly run: StageRun | undefined
  /** The highest version that ever started. */
  readonly newest: string | undefined
  /** `coalesce`: the version of the newest request that waits on the queue. */
  readonly waiting: string | undefined
  /** `drop`: digests of the last refused requests, oldest first. */
  readonly dropped: readonly string[]
  /** `every`: the last requests that ended, oldest first. Earlier ones have items of their own. */
  readonly ended: readonly RequestEnd[]
  /** `every`: fingerprints of the last entries of `ended`, in the same order. undefined: none of them has one. */
  readonly payloads: readonly string[] | undefined
  /** `every`: no request with a higher version has left `ended`. */
  readonly forgotten: string | undefined
  /** How the last request ended. */
  readonly last: RequestEnd | undefined
  /** Fingerprint of the request that started last. */
  readonly payload: string | undefined
  /**
   * Identifies the function that started the last run, and its queue (claimedBy). It is kept after the run, because a message may
   * be dropped only by the consumer that started the run.
   */
  readonly by?: string | undefined
  /** URL of the queue of the failure handler. undefined: the flow has none. */
  readonly failures?: string | undefined
  /** When DynamoDB may delete an idle record, epoch seconds. */
  readonly ttl?: number | undefined
  /** Its time is over: what it remembers is removed by the next start. */
  readonly forgets?: true
}

/** The request that has the flow. */
export interface StageRun {
  readonly uniqueRequestId: string
  /** From then on the run may no longer continue, and any consumer may free the flow. Epoch milliseconds. */
  readonly giveUpAt: number
  readonly stages: ReadonlyMap<string, StageEntry>
  /** Fingerprints of what later stages have begun with, by stage. */
  readonly payloads: ReadonlyMap<string, string>
  /** Effects in the user's tables and started outside calls, by stage and name. */
  readonly marks: ReadonlySet<string>
  /** How many of them the attribute `applied` has; the others were restored. */
  readonly applied: number
  /** A redrive has reopened the run, or one of its stages. */
  readonly reopened: boolean
  /** Until when it can be continued, once a redrive has reopened it (continuableUntil). Epoch milliseconds. */
  readonly continuable?: number | undefined
}

export type EndKind = 'completed' | 'reset' | 'dead'
export interface RequestEnd {
  readonly digest: string
  readonly as: EndKind
}

export const STAGE = 'stage:'

/** The fingerprint of what a later stage has begun with, behind the epoch of its run: a run before may have left one. */
const PAYLOAD = 'payload:'

export function payloadsAsWritten(
  epoch: number,
  payloads: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    [...payloads].map(([stage, payload]) => [PAYLOAD + stage, `${epoch} ${payload}`]),
  )
}

export function readPayloads(item: Item): Map<string, string> {
  const payloads = new Map<string, string>()
  for (const [name, value] of Object.entries(item)) {
    if (!name.startsWith(PAYLOAD) || typeof value !== 'string') continue
    const [epoch, payload] = value.split(' ')
    if (payload !== undefined && Number(epoch) === item['epoch']) {
      payloads.set(name.slice(PAYLOAD.length), payload)
    }
  }
  return payloads
}

/** Its stages, and until when it can be continued. A stage that was added since the read would have raised the fence. */
export function stageAttributes({ stages, payloads, continuable }: StageRun): string[] {
  return [
    ...[...stages.keys()].map((name) => STAGE + name),
    ...[...payloads.keys()].map((name) => PAYLOAD + name),
    ...(continuable === undefined ? [] : ['continuable']),
  ]
}

/** @param flow contains no slash */
export function recordKey(flow: string, key: string): StoreKey {
  return { pk: `flow#${flow}/${key}`, sk: 'stage' }
}

/** The flow and the key of a record, or of an item beside it. */
export function readRecordKey(pk: string): { readonly flow: string; readonly flowKey: string } {
  const [, flow = '', flowKey = ''] = /^flow#([^/]+)\/(.*)$/s.exec(pk) ?? []
  return { flow, flowKey }
}

/** @returns undefined for an item that is not a record this version can read. Such an item must never be run as if it were idle. */
export function readStageRecord(item: Item): StageRecord | undefined {
  const { pk, sk, epoch, fence } = item
  if (typeof pk !== 'string' || typeof sk !== 'string') return undefined
  if (!isCount(epoch) || !isCount(fence)) return undefined
  const process = readProcess(item['process'])
  const run = readRun(item)
  const dropped = piecesOf(item['dropped'], DIGEST_LENGTH)
  const [ended, last] = [readEnds(item['ended']), readEnds(item['last'])]
  const payloads = piecesOf(item['payloads'], FINGERPRINT_LENGTH)
  if (!process || run === 'unreadable' || !dropped || !ended || !last || !payloads) return undefined
  // @protects an end is never compared with the fingerprint of another one
  if (payloads.length > 0 && payloads.length !== ended.length) return undefined
  if (!VERSIONS.every((name) => item[name] === undefined || isVersion(item[name]))) return undefined
  return {
    key: { pk, sk },
    process,
    epoch,
    fence,
    run,
    newest: textOf(item['newest']),
    waiting: textOf(item['waiting']),
    dropped,
    ended,
    payloads: payloads.length === 0 ? undefined : payloads,
    payload: textOf(item['payload']),
    by: textOf(item['by']),
    failures: textOf(item['failures']),
    forgotten: textOf(item['forgotten']),
    last: last[0],
    ttl: isCount(item['ttl']) ? item['ttl'] : undefined,
  }
}

/** An idle record that has expired counts as gone, also while DynamoDB has not deleted it. */
export function isForgotten({ run, ttl }: StageRecord, now: number): boolean {
  return run === undefined && hasExpired(ttl, now)
}

/** Keeps only epoch and fence, which must never restart. */
export function forget({ key, epoch, fence, process }: StageRecord): StageRecord {
  const nothing = { newest: undefined, waiting: undefined, forgotten: undefined, last: undefined }
  const ended = { dropped: [], ended: [], payloads: undefined, payload: undefined }
  return { key, process, epoch, fence, run: undefined, ...nothing, ...ended, forgets: true }
}

/** What a record remembers of ended requests. */
export const MEMORY: readonly string[] = [
  'process',
  'waiting',
  'dropped',
  'ended',
  'payloads',
  'forgotten',
  'last',
  'payload',
  'by',
]

/** Most records have no `process`, which means `newest`. */
function readProcess(value: Value = 'newest'): Process | undefined {
  return value === 'newest' || value === 'every' ? value : undefined
}

const VERSIONS = ['newest', 'waiting', 'forgotten'] as const

function readRun(item: Item): StageRun | undefined | 'unreadable' {
  const { uniquerequestid, giveUpAt, applied: set } = item
  const stages = readStages(item)
  if (stages === undefined) return 'unreadable'
  if (uniquerequestid === undefined) return stages.size === 0 ? undefined : 'unreadable'
  const marks = readMarks(item)
  if (typeof uniquerequestid !== 'string' || !isCount(giveUpAt) || marks === undefined)
    return 'unreadable'
  const reopened = item['reopened'] === true
  const continuable = reopened ? readContinuable(item) : undefined
  const payloads = readPayloads(item)
  const applied = set instanceof Set ? set.size : 0
  const run = {
    uniqueRequestId: uniquerequestid,
    giveUpAt,
    stages,
    payloads,
    marks,
    applied,
    reopened,
  }
  return { ...run, continuable }
}

export function readContinuable({ continuable }: Item): number | undefined {
  return isCount(continuable) ? continuable : undefined
}

/** @returns undefined when one of them cannot be read. */
export function readStages(item: Item): Map<string, StageEntry> | undefined {
  const stages = new Map<string, StageEntry>()
  for (const [name, value] of Object.entries(item)) {
    if (!name.startsWith(STAGE)) continue
    // @survives ConditionalExpression: no number, boolean or set reads as an entry when it is made a text.
    const entry = typeof value === 'string' ? readEntry(value) : undefined
    if (entry === undefined) return undefined
    stages.set(name.slice(STAGE.length), entry)
  }
  return stages
}

/** The marks of this run, from a set that grows by single members, and those that a redrive has restored, from JSON. */
export function readMarks(item: Item): Set<string> | undefined {
  const { applied = new Set<string>(), restored = '[]' } = item
  // @survives ConditionalExpression: as JSON a number or a boolean is no list, and a set is no JSON: all are refused below.
  if (!(applied instanceof Set) || typeof restored !== 'string') return undefined
  try {
    const list: unknown = JSON.parse(restored)
    if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) return undefined
    return new Set<string>([...applied, ...list])
    // @survives BlockStatement: a function that ends without a return gives undefined as well.
  } catch {
    return undefined
  }
}

const LETTERS = { completed: 'c', reset: 'r', dead: 'd' } as const

/** One text of fixed-width elements. Unlike a set it can be written as a whole, and it keeps their order. */
export function writeEnds(ends: readonly RequestEnd[]): string {
  return ends.map(({ digest, as }) => digest + LETTERS[as]).join('')
}

function readEnds(value: Value | undefined): RequestEnd[] | undefined {
  const ends = piecesOf(value, DIGEST_LENGTH + 1)?.map((piece) => {
    const as = ENDED.find((one) => LETTERS[one] === piece.at(-1))
    return as === undefined ? undefined : { digest: piece.slice(0, -1), as }
  })
  return ends?.every((end) => end !== undefined) === true ? ends : undefined
}

export const ENDED: readonly EndKind[] = ['completed', 'reset', 'dead']

function piecesOf(value: Value | undefined, width: number): string[] | undefined {
  if (value === undefined) return []
  // @survives ConditionalExpression: numbers, booleans and sets of an item have no length, and what is not a number is not 0.
  if (typeof value !== 'string' || value.length % width !== 0) return undefined
  return Array.from({ length: value.length / width }, (_, index) =>
    value.slice(index * width, (index + 1) * width),
  )
}

/**
 * The run that was judged still has the flow. The request id is compared too, because an item may start again at epoch 1 after
 * its ttl.
 */
export function sameRun(record: Pick<StageRecord, 'epoch'>, run: StageRun): Condition[] {
  return [
    // @protects a write to a run requires the request that has the key
    { field: 'uniquerequestid', is: '=', value: run.uniqueRequestId },
    { field: 'epoch', is: '=', value: record.epoch },
  ]
}

export function sameFence(record: Pick<StageRecord, 'fence'>): Condition {
  return { field: 'fence', is: '=', value: record.fence }
}

export function isCount(value: Value | undefined): value is number {
  return typeof value === 'number' && value >= 0
}

function textOf(value: Value | undefined): string | undefined {
  // @survives ConditionalExpression: the three that are read by it are versions or missing, which was checked before; the check is
  // for the types.
  return typeof value === 'string' ? value : undefined
}
