import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isoTime } from '../../../base/time.ts'
import type { DeadLetter } from './deadLetter.ts'

/** A file with one JSON line per dead letter. */
export interface Archive {
  /** Resolves when the dead letters are on disk. */
  append(deadLetters: readonly DeadLetter[]): Promise<void>
  close(): Promise<void>
}

/** Appends to the file. Only its owner may read it: bodies may hold personal data. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path, 'a+', 0o600)
  // The mode above is for a new file only. What a file of another owner is may not be changed: then nothing is written to it.
  await file.chmod(0o600)
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
