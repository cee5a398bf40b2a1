import type { Clock } from '../../../base/clock.ts'
import type { Item } from '../../../store/store.ts'
import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import { limitRate } from '../dlq/rateLimit.ts'

interface ScanOptions {
  readonly prefix: string
  readonly segments: number
  /** Read units a second, of all segments together. */
  readonly rate: number
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  readonly onProgress: (looked: number) => void
}

export interface ScanCost {
  /** Items that were looked at, those of others included. */
  readonly looked: number
  readonly readUnits: number
}

/**
 * Reads the items of one consumer or flow, all segments concurrently. The reads are eventually consistent, which costs half: a
 * page that is a second old shows less than is true, and only shows what was true, so nothing that was lost seems to be there.
 */
export async function scanItems(
  table: TableReader,
  options: ScanOptions,
  take: (item: Item) => Promise<void>,
): Promise<ScanCost> {
  const { prefix, segments, rate, clock, signal } = options
  const wait = limitRate(() => rate, clock, signal)
  let [looked, readUnits] = [0, 0]
  let failed = false
  const readSegment = async (index: number): Promise<void> => {
    let units = 0
    const pages = table.scan({
      prefix,
      segment: { index, of: segments },
      onPage: (page) => {
        looked += page.looked
        readUnits += page.readUnits
        units = page.readUnits
      },
    })
    for await (const items of pages) {
      signal?.throwIfAborted()
      if (failed) return
      for (const item of items) await take(item)
      options.onProgress(looked)
      await wait(units)
    }
  }
  const reads = Array.from({ length: segments }, async (_, index) => {
    await readSegment(index).catch((error: unknown) => {
      failed = true
      throw error
    })
  })
  await Promise.all(reads)
  return { looked, readUnits }
}
