import { hash } from 'node:crypto'

/** The statuses under which the index lists lock tokens, stage records, awaited steps and paused mappings. */
type IndexedStatus =
  | 'inProgress'
  | 'dying'
  | 'running'
  | 'awaiting'
  | 'accepted'
  | 'error'
  | 'unknown'
  | 'dead'
  | 'later'
  | 'paused'
  | 'circuitOpen'

/**
 * One partition of an index takes 1,000 writes a second, so each status is spread over 8 partitions. Every writer and every
 * reader of the index has to use the same number: a reader with a smaller one never sees the items of the other partitions.
 */
const SHARDS = 8

/** The index attributes of an item. The shard is a hash of the key, so that a write needs no read. */
export function indexed(
  pk: string,
  status: IndexedStatus | 'ending',
  dueAt: number,
): { statusShard: string; dueAt: number } {
  const shard = Number.parseInt(hash('sha256', pk).slice(0, 2), 16) % SHARDS
  // A list of its own would cost each run of the sweeper eight queries.
  const listed = status === 'ending' ? 'dying' : status
  return { statusShard: shardName(listed, shard), dueAt }
}

/** All partitions of one status. A reader has to query each of them. */
export function shardsOf(status: IndexedStatus): readonly string[] {
  return Array.from({ length: SHARDS }, (_, shard) => shardName(status, shard))
}

function shardName(status: IndexedStatus, shard: number): string {
  return `${status}#${shard}`
}

/** Removed, they take the item out of the index. */
export const INDEX_ATTRIBUTES = ['statusShard', 'dueAt'] as const
