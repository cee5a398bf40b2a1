import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError } from '../../../base/errors.ts'
import { isoTime } from '../../../base/time.ts'
import { type DeadLetter, readDeadLetter } from './deadLetter.ts'
import { isObject } from '../../../base/kindOf.ts'
import { createReadStream } from 'node:fs'
import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda'
import { parseObject } from '../../../record/envelope/json.ts'
import { stableId } from '../../../base/ids.ts'

export interface Archive {
  /** Resolves when the dead letters are on disk. */
  append(deadLetters: readonly DeadLetter[]): Promise<void>
  close(): Promise<void>
}

/** Appends to the file. Only its owner may read it: bodies may hold personal data. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path, 'a+', 0o600)
  try {
    // A device or a pipe keeps nothing, and its mode is not ours to change.
    if (!(await file.stat()).isFile()) throw new ConfigError(`${path}: expected a regular file`)
    // The mode above is for a new file only. What a file of another owner is may not be changed: then nothing is written to it.
    await file.chmod(0o600)
    await endLine(file)
    await syncDirectory(path)
  } catch (error) {
    await file.close()
    throw error
  }
  return {
    append: async (deadLetters) => {
      await file.appendFile(deadLetters.map((deadLetter) => `${lineOf(deadLetter)}\n`).join(''))
      await file.sync()
    },
    close: () => file.close(),
  }
}

/** `sentAt`, `origin`, `reason`, `error` and `attempts` are for the reader; the dead letter is rebuilt from the other fields. */
export function lineOf({
  record,
  uniqueRequestId,
  origin,
  reason,
  error,
  attempts,
  sentAt,
}: DeadLetter): string {
  const { messageId, eventSourceARN, attributes, messageAttributes, body } = record
  return JSON.stringify({
    version: 1,
    messageId,
    uniquerequestid: uniqueRequestId,
    queue: eventSourceARN,
    sentAt: isoTime(sentAt),
    origin,
    reason,
    error,
    attempts,
    attributes,
    messageAttributes,
    body,
  })
}

/**
 * A run that was killed in the middle of a line has not removed that dead letter. The incomplete line stays, and is skipped when
 * the file is read.
 */
async function endLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  if (size === 0) return
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  if (buffer.toString() !== '\n') await file.appendFile('\n')
}

/** Without this, a power failure could lose the new file's name after the dead letters were removed. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * The dead letters of a file, each once: a dead letter that was archived twice is in the file twice. Of one whose lines differ, as when
 * a correction stands below the old line, none is taken: which one is meant cannot be known.
 * @param onUnreadable gets the number of a line that is not a dead letter, or that differs from another line of the same dead letter
 */
export async function* readArchive(
  path: string,
  now: number,
  pageSize: () => number,
  onUnreadable: (line: number) => void,
): AsyncGenerator<readonly DeadLetter[]> {
  const differing = await differingIn(path)
  const seen = new Set<string>()
  let page: DeadLetter[] = []
  let number = 0
  for await (const line of linesIn(path)) {
    number += 1
    if (line === '') continue
    const record = recordIn(line)
    if (record === undefined || differing.has(record.messageId)) onUnreadable(number)
    else if (!seen.has(record.messageId)) page.push(readDeadLetter(record, now))
    if (record !== undefined) seen.add(record.messageId)
    if (page.length < pageSize()) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Message ids of which two lines do not say the same. */
async function differingIn(path: string): Promise<ReadonlySet<string>> {
  const contents = new Map<string, string>()
  const differing = new Set<string>()
  for await (const line of linesIn(path)) {
    const record = recordIn(line)
    if (record === undefined) continue
    const { messageId } = record
    const content = contentOf(record)
    if ((contents.get(messageId) ?? content) !== content) differing.add(messageId)
    contents.set(messageId, content)
  }
  return differing
}

/** The part that is sent back, without the number of receives. */
function contentOf({ body, messageAttributes }: SQSRecord): string {
  return stableId('archived', body, JSON.stringify(messageAttributes))
}

/** @returns undefined for a text that is not the line of a dead letter */
export function recordIn(line: string): SQSRecord | undefined {
  const { version, messageId, queue, attributes, messageAttributes, body } = parseObject(line) ?? {}
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

/** Does not use node:readline, which also ends lines at U+2028, a character that may occur in a body. */
async function* linesIn(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
