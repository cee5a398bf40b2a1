import { type Archive, openArchive } from './archiveFile.ts'
import type { QueueOptions } from './deadLetterQueue.ts'
import { openQueueSource } from './deadLetterSource.ts'
import { matcher } from './selection.ts'

export interface ArchiveOptions extends QueueOptions {
  /** Made if it is not there, readable by its owner only; else what is written goes to its end. */
  readonly file: string
  /** Default `plan`: nothing is written or removed. */
  readonly mode?: 'plan' | 'apply'
}

/** Numbers of letters. */
export interface ArchiveReport {
  readonly mode: 'plan' | 'apply'
  readonly looked: number
  readonly selected: number
  /** On the disk, and removed from the queue; 0 in a plan. */
  readonly archived: number
  /** On the disk, and not removed: the next run writes them once more, and a file is read without its copies. */
  readonly notRemoved: number
  readonly error: string | undefined
  readonly ended: 'complete' | 'aborted'
  readonly more: boolean
  readonly fifo: boolean
}

/** Writes letters to a file, and removes them from the queue when they are on the disk. Back again by `redriveLetters`. */
export async function archiveDeadLetters(options: ArchiveOptions): Promise<ArchiveReport> {
  const { file, mode = 'plan', signal } = options
  const source = await openQueueSource(options)
  const isSelected = matcher(options, source.now)
  const counts = { looked: 0, selected: 0, archived: 0, notRemoved: 0 }
  let error: string | undefined
  let archive: Archive | undefined
  try {
    for await (const page of source.pages()) {
      const selected = page.filter(isSelected)
      counts.looked += page.length
      counts.selected += selected.length
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
