import { checkOptions, whole } from '../library/base/options.ts'
import { openPayloads } from '../library/features/payloads/openPayloads.ts'
import type { Offload } from '../library/run/context/results/resultStore.ts'

/** Options of {@link memoryObjects}. */
export interface MemoryObjectsOptions {
  /** The largest payload that is sent or read, in bytes. Default 16 MiB, as for `s3Objects`. */
  readonly maxBytes?: number
}

/** What is too large, in memory, for tests. */
export interface MemoryObjects extends Offload {
  /** By name. Delete one to let it expire. */
  readonly objects: Map<string, string>
}

/**
 * What `s3Objects` is in a test: give the same one to senders and consumers.
 * @throws ConfigError when `maxBytes` is no whole number
 * @example
 * const offload = memoryObjects()
 * const { store, clients, clock, logger } = memoryCloud({ queues: { reports: {} } })
 * const handler = recordHandler({ name: 'reports', store, clients, clock, logger, offload }, work)
 */
export function memoryObjects(options: MemoryObjectsOptions = {}): MemoryObjects {
  checkOptions('memoryObjects', options, { maxBytes: whole(1, Number.MAX_SAFE_INTEGER) })
  const objects = new Map<string, string>()
  const payloads = openPayloads(
    {
      placeOf: (name) => `memory://${name}`,
      put: async (name, text) => void objects.set(name, text),
      get: async (name) => objects.get(name),
    },
    options.maxBytes ?? 16 * 1_048_576,
  )
  return {
    ...payloads,
    put: async (key, text) => void objects.set(key, text),
    get: async (key) => objects.get(key),
    objects,
  }
}
