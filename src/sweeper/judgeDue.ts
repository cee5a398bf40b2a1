import { deadRunKey } from '../claim/stage/deadRun.ts'
import type { Delayed } from '../features/delay/delayedRow.ts'
import {
  type DelayedVerdict,
  isFree,
  isRunning,
  judgeDelayed,
} from '../features/delay/judgeDelayed.ts'
import type { Item, Store, StoreKey } from '../store/store.ts'
import { loadItems } from './due/loadItem.ts'
import type { DueRow, Sweep } from './delayedSweep.ts'

/** Records are read before parked items: see RunSeen. */
export async function judgeDue(
  rows: readonly DueRow[],
  { store, now }: Sweep,
): Promise<readonly (readonly [DueRow, DelayedVerdict])[]> {
  const time = now()
  const judged = rows.filter((row) => !isFree(row, time))
  const records = await loadBeside(store, judged, recordKeyOf)
  const over = judged.filter((row) => !isRunning(row, records.get(row)))
  const parked = await loadBeside(store, over, parkedKeyOf)
  return rows.map((row) => {
    const seen = { record: records.get(row), parked: parked.get(row) }
    return [row, judgeDelayed(row, seen, time)]
  })
}

function recordKeyOf({ recordPk }: Delayed): StoreKey | undefined {
  return recordPk === undefined ? undefined : { pk: recordPk, sk: 'stage' }
}

function parkedKeyOf(row: Delayed): StoreKey | undefined {
  const record = recordKeyOf(row)
  return record && deadRunKey(record, row.uniqueRequestId)
}

async function loadBeside(
  store: Store,
  rows: readonly Delayed[],
  keyOf: (row: Delayed) => StoreKey | undefined,
): Promise<ReadonlyMap<Delayed, Item | undefined>> {
  const asked = rows.flatMap((row) => {
    const key = keyOf(row)
    return key === undefined ? [] : [[row, key] as const]
  })
  if (asked.length === 0) return new Map()
  // A call refuses the same key twice, and rows of one run have one record.
  const keys = [...new Map(asked.map(([, key]) => [`${key.pk} ${key.sk}`, key])).values()]
  const items = await loadItems(store, keys)
  const found = new Map(keys.map(({ pk, sk }, index) => [`${pk} ${sk}`, items[index]]))
  return new Map(asked.map(([row, { pk, sk }]) => [row, found.get(`${pk} ${sk}`)]))
}
