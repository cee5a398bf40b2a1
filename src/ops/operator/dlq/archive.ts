import { type Archive, openArchive } from './archiveFile.ts'
import type { DeadLetter } from './deadLetter.ts'
import type { QueueOptions } from './deadLetterQueue.ts'
import { openQueueSource } from './deadLetterSource.ts'
import { matcher } from './selection.ts'

export interface ArchiveOptions extends QueueOptions {
  /** Created readable by its owner only; an existing file is appended to. */
  readonly file: string
  /** Default `plan`: nothing is written or removed. */
  readonly mode?: 'plan' | 'apply'
}

/** Counts of dead letters. */
export interface ArchiveReport {
  readonly mode: 'plan' | 'apply'
  readonly looked: number
  readonly selected: number
  /** Written to disk and removed from the queue; 0 in a plan. */
  readonly archived: number
  /** Of the selected ones: their payload is not in the message, and not in the file either. `redrive` needs it where it is. */
  readonly withoutPayload: number
  /** Written to disk, but not removed: the next run writes them again, and a redrive sends each once. */
  readonly notRemoved: number
  readonly error: string | undefined
  readonly ended: 'complete' | 'aborted'
  readonly more: boolean
  readonly fifo: boolean
}

function isWithoutPayload({ envelope }: DeadLetter): boolean {
  return envelope.carried.payload !== undefined
}

/** Writes dead letters to a file and removes them from the queue once they are on disk. `redriveDeadLetters` sends them back. */
export async function archiveDeadLetters(options: ArchiveOptions): Promise<ArchiveReport> {
  const { file, mode = 'plan', signal } = options
  const source = await openQueueSource(options)
  const isSelected = matcher(options, source.now)
  const counts = { looked: 0, selected: 0, archived: 0, withoutPayload: 0, notRemoved: 0 }
  let error: string | undefined
  let archive: Archive | undefined
  try {
    for await (const page of source.pages()) {
      const selected = page.filter(isSelected)
      counts.looked += page.length
      counts.selected += selected.length
      counts.withoutPayload += selected.filter(isWithoutPayload).length
      if (mode === 'apply' && selected.length > 0) {
        archive ??= await openArchive(file)
        await archive.append(selected)
        const failed = (await source.remove(selected)).filter((each) => each !== undefined)
        counts.archived += selected.length - failed.length
        counts.notRemoved += failed.length
        error ??= failed[0]?.message
      }
      options.onProgress?.(counts.looked, source.visible)
    }
  } finally {
    await archive?.close()
  }
  const ended = signal?.aborted === true ? 'aborted' : 'complete'
  return { mode, ...counts, error, ended, more: source.hasMore(), fifo: source.fifo }
}
