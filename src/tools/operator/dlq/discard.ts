import type { DeadLetter } from './deadLetter.ts'
import { type Bound, type BoundEnd, type LettersReport, plannedLetter, plannedOf } from './bound.ts'
import { openQueueSource, type SourceOptions } from './deadLetterSource.ts'
import type { Orders } from './operation.ts'
import { collectGroups } from './look.ts'
import { matcher } from './deadLetterQueue.ts'

interface DiscardOptions extends SourceOptions, Bound {
  /** Resolves when they are stored. */
  readonly keep: (deadLetters: readonly DeadLetter[]) => Promise<void>
  /** Default `plan`: nothing is stored or removed. */
  readonly mode?: 'plan' | 'apply'
}

export interface DiscardReport extends LettersReport {
  readonly selected: number
  /** Selected ones whose payload was refused before the handler ran. */
  readonly rejected: number
  /** They meet the selection, and are not of the plan: they arrived later, or could not be seen then. */
  readonly notPlanned: number
  /** Stored and removed from the queue; 0 in a plan. */
  readonly archived: number
  /** Selected ones whose payload is kept elsewhere, and is not in the stored copy either. `redrive` needs it where it is. */
  readonly withoutPayload: number
  /** Stored, but not removed: the next run stores and removes them. */
  readonly notRemoved: number
  readonly ended: BoundEnd
}

/** Removes dead letters from the queue once they are stored. `restoreDiscarded` puts them back. */
export async function discardDeadLetters(options: DiscardOptions): Promise<DiscardReport> {
  const { keep, mode = 'plan', signal } = options
  const source = await openQueueSource(options)
  const isSelected = matcher(options, source.now)
  const counts = {
    looked: 0,
    selected: 0,
    rejected: 0,
    notPlanned: 0,
    archived: 0,
    withoutPayload: 0,
    notRemoved: 0,
  }
  const planned = plannedOf(options)
  const seen = collectGroups()
  let error: string | undefined
  let orders: Orders
  for await (const page of source.pages()) {
    planned.see(page.map(({ record }) => record.messageId))
    const matching = page.filter((each) => isSelected(each) && !each.notKnown)
    const selected = matching.filter(({ record }) => planned.has(record.messageId))
    counts.looked += page.length
    counts.selected += selected.length
    counts.rejected += selected.filter(({ reason }) => reason === 'rejected').length
    counts.notPlanned += matching.length - selected.length
    counts.withoutPayload += selected.filter(({ envelope }) => envelope.carried.payload).length
    if (mode === 'plan') {
      seen.see(page, new Set(selected))
      for (const deadLetter of selected) options.onPlanned?.(plannedLetter(deadLetter))
    } else if (selected.length > 0) {
      await keep(selected)
      const failed = (await source.remove(selected)).filter((each) => each !== undefined)
      counts.archived += selected.length - failed.length
      counts.notRemoved += failed.length
      error ??= failed[0]?.message
    }
    options.onProgress?.(counts.looked, source.visible)
    orders = await options.onPage?.(counts.archived)
    if (orders !== undefined || planned.all()) break
  }
  const { fifo, hidden, visible } = source
  const ended: BoundEnd = signal?.aborted === true ? 'aborted' : (orders ?? 'complete')
  const found = { ...counts, ...planned.unseen(ended === 'complete'), error }
  const rest = { ended, more: source.hasMore(), visible, fifo, hidden, groups: seen.groups() }
  return { mode, ...found, ...rest }
}
