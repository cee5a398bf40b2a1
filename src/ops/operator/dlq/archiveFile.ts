import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isoTime } from '../../../isoTime.ts'
import type { DeadLetter } from './deadLetter.ts'

/** One JSON line for each letter. */
export interface Archive {
  /** Resolves when the letters are on the disk. */
  append(deadLetters: readonly DeadLetter[]): Promise<void>
  close(): Promise<void>
}

/** Goes on where the file ends. Only its owner may read it: bodies may hold personal data. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path, 'a+', 0o600)
  await endLine(file)
  await syncDirectory(path)
  return {
    append: async (deadLetters) => {
      await file.appendFile(deadLetters.map((deadLetter) => `${lineOf(deadLetter)}\n`).join(''))
      await file.sync()
    },
    close: () => file.close(),
  }
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
