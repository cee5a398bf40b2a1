import { checkOptions, whole } from '../base/options.ts'
import { openPayloads } from '../features/payloads/openPayloads.ts'
import type { LargePayloads } from '../record/envelope/envelope.ts'

/** Options of {@link memoryPayloads}. */
export interface MemoryPayloadsOptions {
  /** The largest payload that is sent or read, in bytes. Default 16 MiB, as for `s3Payloads`. */
  readonly maxBytes?: number
}

/** Large payloads in memory, for tests. */
export interface MemoryPayloads extends LargePayloads {
  /** By name. Delete one to let it expire. */
  readonly objects: Map<string, string>
}

/**
 * What `s3Payloads` is in a test: give the same one to senders and consumers.
 * @throws ConfigError when `maxBytes` is no whole number
 * @example
 * const payloads = memoryPayloads()
 * const { store, clients, clock, logger } = memoryCloud({ queues: { reports: {} } })
 * const handler = recordHandler({ name: 'reports', store, clients, clock, logger, payloads }, work)
 */
export function memoryPayloads(options: MemoryPayloadsOptions = {}): MemoryPayloads {
  checkOptions('memoryPayloads', options, { maxBytes: whole(1, Number.MAX_SAFE_INTEGER) })
  const objects = new Map<string, string>()
  const payloads = openPayloads(
    {
      placeOf: (name) => `memory://${name}`,
      put: async (name, text) => void objects.set(name, text),
      get: async (name) => objects.get(name),
    },
    options.maxBytes ?? 16 * 1_048_576,
  )
  return { ...payloads, objects }
}
