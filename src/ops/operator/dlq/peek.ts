import type { Letter } from './deadLetter.ts'
import { queueSource } from './deadLetterSource.ts'
import type { QueueOptions } from './deadLetterQueue.ts'
import { selector } from './selection.ts'

export interface PeekOptions extends QueueOptions {
  /** Letters to be found, 1 or more. Default 10. */
  readonly count?: number
}

export interface Peeked {
  readonly letters: readonly Letter[]
  readonly looked: number
  /** Others may be there. */
  readonly more: boolean
  readonly fifo: boolean
}

/** The first letters that are met. Nothing is changed but the receive counts. */
export async function peekLetters(options: PeekOptions): Promise<Peeked> {
  const { count = 10 } = options
  const source = await queueSource(options)
  const isSelected = selector(options, source.now)
  const letters: Letter[] = []
  let looked = 0
  for await (const page of source.pages()) {
    letters.push(...page.filter(isSelected).slice(0, count - letters.length))
    looked += page.length
    options.onProgress?.(looked, source.visible)
    if (letters.length === count) break
  }
  const more = letters.length === count || source.hasMore() || options.signal?.aborted === true
  return { letters, looked, more, fifo: source.fifo }
}
