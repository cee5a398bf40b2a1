import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { DeadLetter } from './deadLetter.ts'

export interface PlanContents {
  readonly size: number
  /** Equal for equal contents, whatever the order in which they were found. */
  fingerprint(): string
  /** In texts that fit into an item of DynamoDB. */
  texts(): readonly string[]
}

/** A dead letter as a plan names it, also when it is gone. */
export interface PlannedLetter {
  /** Of SQS. */
  readonly messageId: string
  /** undefined: it carries none. */
  readonly uniqueRequestId?: string | undefined
  /** The request of the flow that it belongs to. */
  readonly run?: string | undefined
  /** Account and name of the queue that it would go to: hosts of one queue differ. */
  readonly to?: string | undefined
}

/** The dead letters of a plan, by their message ids. SQS makes these, so no sender can choose one. */
export interface IdSet extends PlanContents {
  has(messageId: string): boolean
  /** Where it would go; undefined: the plan does not say. */
  destination(messageId: string): string | undefined
  /** In the order in which they were found. */
  letters(): Iterable<PlannedLetter>
}

/** Before gzip and base64: ids that cannot be compressed take 320,000 of the 400 KB that an item of DynamoDB may have. */
const BYTES_PER_TEXT = 240_000

export function plannedLetter(deadLetter: DeadLetter): PlannedLetter {
  const { record, uniqueRequestId, identity, envelope } = deadLetter
  const { messageId } = record
  const { flow } = envelope.carried
  const run = flow && { run: flow.id }
  return identity === 'message' ? { messageId, ...run } : { messageId, uniqueRequestId, ...run }
}

/** Collects dead letters one by one. */
export function idSetBuilder(): { add(letter: PlannedLetter): void; finish(): IdSet } {
  const letters = new Map<string, PlannedLetter>()
  return {
    add: (letter) => void letters.set(letter.messageId, letter),
    finish: () => idSet(letters),
  }
}

/** @returns undefined when a text is not one that `texts` has made */
export function readIdSet(texts: readonly string[]): IdSet | undefined {
  const builder = idSetBuilder()
  try {
    for (const text of texts) for (const letter of readText(text)) builder.add(letter)
  } catch {
    return undefined
  }
  return builder.finish()
}

function idSet(letters: ReadonlyMap<string, PlannedLetter>): IdSet {
  return {
    size: letters.size,
    has: (messageId) => letters.has(messageId),
    destination: (messageId) => letters.get(messageId)?.to,
    letters: () => letters.values(),
    fingerprint: () => fingerprintOf(letters.values()),
    texts: () => [...textsOf(letters.values())],
  }
}

/** Sorted, so that the order in which SQS returns them does not matter. */
function fingerprintOf(letters: Iterable<PlannedLetter>): string {
  const digests = [...letters]
    .map(({ messageId, to }) => [messageId, to ?? []].flat().join(' '))
    .map((each) => hash('sha256', each, 'hex').slice(0, 16))
    .toSorted()
  return hash('sha256', Buffer.from(digests.join(''), 'hex'), 'hex')
}

function* textsOf(letters: Iterable<PlannedLetter>): Generator<string> {
  const lines = [...letters].map(({ messageId, uniqueRequestId, run, to }) => {
    const more = to === undefined ? [run ?? []].flat() : [run ?? null, to]
    return JSON.stringify([messageId, uniqueRequestId ?? null, ...more])
  })
  for (const text of textsOfLines(lines, BYTES_PER_TEXT)) yield packed(text)
}

/** The lines in texts of so many bytes at most. */
export function* textsOfLines(lines: Iterable<string>, most: number): Generator<string> {
  let together: string[] = []
  let bytes = 0
  for (const line of lines) {
    const length = Buffer.byteLength(line) + 1
    if (bytes + length > most && together.length > 0) {
      yield together.join('\n')
      together = []
      bytes = 0
    }
    together.push(line)
    bytes += length
  }
  if (together.length > 0) yield together.join('\n')
}

function packed(text: string): string {
  return gzipSync(text).toString('base64')
}

type Line = readonly [string, string | null, (string | null)?, string?]

/** @throws Error for a text that is damaged */
function readText(text: string): readonly PlannedLetter[] {
  const lines = gunzipSync(Buffer.from(text, 'base64')).toString().split('\n')
  return lines.map((line) => {
    const [messageId, id, run, to] = JSON.parse(line) as Line
    return {
      messageId,
      ...(id !== null && { uniqueRequestId: id }),
      ...(run !== undefined && run !== null && { run }),
      ...(to !== undefined && { to }),
    }
  })
}
