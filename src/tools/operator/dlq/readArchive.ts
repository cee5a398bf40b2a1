import { isObject } from '../../../base/kindOf.ts'
import { createReadStream } from 'node:fs'
import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda'
import { parseObject } from '../../../record/envelope/json.ts'
import { stableId } from '../../../base/ids.ts'
import { type DeadLetter, readDeadLetter } from './deadLetter.ts'

/**
 * The dead letters of a file, each once: a dead letter that was archived twice is in the file twice.
 * @param onUnreadable gets the number of a line that is not a dead letter, or that differs from an earlier line of the same dead letter
 */
export async function* readArchive(
  path: string,
  now: number,
  pageSize: () => number,
  onUnreadable: (line: number) => void,
): AsyncGenerator<readonly DeadLetter[]> {
  const seen = new Map<string, string>()
  let page: DeadLetter[] = []
  let number = 0
  for await (const line of linesIn(path)) {
    number += 1
    if (line === '') continue
    const record = recordIn(line)
    const before = record && seen.get(record.messageId)
    if (record === undefined || (before !== undefined && before !== contentOf(record))) {
      onUnreadable(number)
    }
    if (record === undefined || before !== undefined) continue
    seen.set(record.messageId, contentOf(record))
    page.push(readDeadLetter(record, now))
    if (page.length < pageSize()) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
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
