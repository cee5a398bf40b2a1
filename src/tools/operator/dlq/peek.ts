import type { DeadLetter } from './deadLetter.ts'
import { openQueueSource } from './deadLetterSource.ts'
import type { QueueOptions } from './deadLetterQueue.ts'
import { matcher } from './selection.ts'

export interface PeekOptions extends QueueOptions {
  /** The number of dead letters to find, 1 or more. Default 10. */
  readonly count?: number
}

export interface PeekReport {
  readonly deadLetters: readonly DeadLetter[]
  readonly looked: number
  /** There may be more. With ids: more were seen. */
  readonly more: boolean
  readonly fifo: boolean
}

/** The first dead letters found. Changes only their receive counts. */
export async function peekDeadLetters(options: PeekOptions): Promise<PeekReport> {
  const { count = 10 } = options
  const source = await openQueueSource(options)
  const isSelected = matcher(options, source.now)
  const deadLetters: DeadLetter[] = []
  let [looked, found] = [0, 0]
  for await (const page of source.pages()) {
    const selected = page.filter(isSelected)
    found += selected.length
    deadLetters.push(...selected.slice(0, count - deadLetters.length))
    looked += page.length
    options.onProgress?.(looked, source.visible)
    if (deadLetters.length === count) break
  }
  const unseen = options.ids === undefined && found === count && looked < (source.visible ?? 0)
  const more = found > count || unseen || source.hasMore() || options.signal?.aborted === true
  return { deadLetters, looked, more, fifo: source.fifo }
}
