import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda'
import { isObject, parseObject } from '../../envelope/json.ts'
import { isoTime } from '../../isoTime.ts'
import { type Letter, readLetter } from './letter.ts'

/** One JSON line for each letter. */
export interface Archive {
  /** Resolves when the letters are on the disk. */
  append(letters: readonly Letter[]): Promise<void>
  close(): Promise<void>
}

/** Goes on where the file ends. Only its owner may read it: bodies may hold personal data. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path, 'a+', 0o600)
  await endLine(file)
  await syncDirectory(path)
  return {
    append: async (letters) => {
      await file.appendFile(letters.map((letter) => `${lineOf(letter)}\n`).join(''))
      await file.sync()
    },
    close: () => file.close(),
  }
}

/** The letters of a file, each once, however often it stands there. @param onUnreadable is told the number of the line */
export async function* readArchive(
  path: string,
  now: number,
  pageSize: number,
  onUnreadable: (line: number) => void,
): AsyncGenerator<readonly Letter[]> {
  const lines = createInterface({ input: createReadStream(path, 'utf8') })
  const seen = new Set<string>()
  let page: Letter[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line === '') continue
    const record = recordIn(line)
    if (record === undefined) onUnreadable(number)
    if (record === undefined || seen.has(record.messageId)) continue
    seen.add(record.messageId)
    page.push(readLetter(record, now))
    if (page.length < pageSize) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** The times and what stands before the body are for people; the letter is made again from the rest. */
function lineOf({
  record,
  uniqueRequestId,
  origin,
  reason,
  error,
  attempts,
  sentAt,
}: Letter): string {
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

function recordIn(line: string): SQSRecord | undefined {
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

/** What was killed in the middle of a line has not removed that letter: the rest of the line stays, and is no letter. */
async function endLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  if (size === 0) return
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  if (buffer.toString() !== '\n') await file.appendFile('\n')
}

/** Else the name of a new file may be lost with the power, after the letters have been removed. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
