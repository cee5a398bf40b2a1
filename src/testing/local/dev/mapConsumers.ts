import type { LocalCloud } from '../cloud/localCloud.ts'
import type { Faults } from '../faults/faults.ts'
import { mapQueue, type MappingOptions, type QueueMapping } from '../mapping/mapQueue.ts'
import { type ConsumerDescription, consumersOf } from '../../registry/consumersOf.ts'
import type { Dev } from './definition.ts'
import { loadHandler } from './loadHandler.ts'

export interface MappedConsumer {
  readonly mapping: QueueMapping
  /** Empty for a handler that Lineclear has not made. */
  readonly consumers: readonly ConsumerDescription[]
}

/**
 * Loads the handlers, one after the other, and maps each to its queue: nothing is polled before the last one is loaded.
 * @param faultsOf the faults of a consumer, by its queue
 * @throws what loading a handler throws; ConfigError for options that `mapQueue` refuses
 */
export async function mapConsumers(
  { consumers }: Dev,
  cloud: LocalCloud,
  faultsOf: (queue: string, ofFile: Faults) => Faults,
  options: Pick<MappingOptions, 'observe' | 'logger'>,
): Promise<ReadonlyMap<string, MappedConsumer>> {
  const loaded: MappingOptions[] = []
  for (const [queue, consumer] of Object.entries(consumers)) {
    const { load: _load, export: _export, faults = {}, ...others } = consumer
    const handler = await loadHandler(queue, consumer)
    loaded.push({ ...others, ...options, cloud, queue, handler, faults: faultsOf(queue, faults) })
  }
  return new Map(
    loaded.map((each) => [
      each.queue,
      { mapping: mapQueue(each), consumers: consumersOf(each.handler) },
    ]),
  )
}
