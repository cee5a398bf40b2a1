import { hash } from 'node:crypto'

const SHARDS = 8

/** A status index on one key would stop at 1,000 writes a second, so it is spread; by hash, so that no read is needed. */
export function indexed(
  pk: string,
  status: 'running' | 'dead' | 'awaiting',
  dueAt: number,
): { statusShard: string; dueAt: number } {
  const shard = Number.parseInt(hash('md5', pk).slice(0, 2), 16) % SHARDS
  return { statusShard: `${status}#${shard}`, dueAt }
}

export const INDEX = ['statusShard', 'dueAt'] as const
