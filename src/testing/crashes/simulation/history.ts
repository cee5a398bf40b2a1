import type { MemoryStore } from '../../../store/memory/memoryStore.ts'
import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import type { Item, StoreKey } from '../../../store/store.ts'

/** Earlier versions of items, for stale reads. */
export interface History {
  /** Call it after each write to these items. */
  note(keys: readonly StoreKey[], now: number): Promise<void>
  /** The item before its last change. */
  before(key: StoreKey): Item | undefined
  /** The item as it was at that time. */
  at(key: StoreKey, time: number): Item | undefined
}

interface Version {
  readonly since: number
  readonly item: Item | undefined
}

/** @param completed is told each run of a flow that was completed: the record remembers only the last one */
export function historyOf(base: MemoryStore, completed: Set<string>): History {
  const versions = new Map<string, readonly Version[]>()
  const of = ({ pk, sk }: StoreKey): readonly Version[] => versions.get(`${pk} ${sk}`) ?? []
  return {
    async note(keys, now) {
      const reads = await base.read(keys)
      for (const [index, read] of reads.entries()) {
        const key = keys[index]
        if (key === undefined || read.kind === 'failed') continue
        const { last } = (read.item && readStageRecord(read.item)) ?? {}
        if (last?.as === 'completed') completed.add(`${key.pk} ${last.digest}`)
        versions.set(`${key.pk} ${key.sk}`, [...of(key), { since: now, item: read.item }])
      }
    },
    before: (key) => of(key).at(-2)?.item,
    at: (key, time) => of(key).findLast(({ since }) => since <= time)?.item,
  }
}
