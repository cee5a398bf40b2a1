import type { LocalCloud } from '../cloud/openCloud.ts'
import type { Faults } from '../faults/faults.ts'
import { mapQueue, type MappingOptions, type QueueMapping } from '../mapping/mapQueue.ts'
import { type ConsumerDescription, consumersOf } from '../../registry/consumersOf.ts'
import { ConfigError } from '../../../library/base/errors.ts'
import { isObject, kindOf } from '../../../library/base/kindOf.ts'
import type { QueueHandler } from '../mapping/invoke.ts'
import { environmentOf } from '../sdk/clients.ts'
import type { Dev, DevConsumer, Environment } from './definition.ts'

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
  options: Pick<MappingOptions, 'observe' | 'logger' | 'managed'>,
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

/** @throws ConfigError when the module does not export a handler; else what loading it throws */
async function loadHandler(
  queue: string,
  { load, export: name = 'handler' }: DevConsumer,
): Promise<QueueHandler> {
  const loaded = await load()
  // `await import()` of CommonJS has the exports in `default`.
  const handler = exported(loaded, name) ?? exported(exported(loaded, 'default'), name)
  if (typeof handler === 'function') return handler as QueueHandler
  throw new ConfigError(
    `consumers.${queue}.load: expected a module that exports the function ${JSON.stringify(name)}, got ${describe(loaded)}`,
  )
}

function exported(from: unknown, name: string): unknown {
  return isObject(from) ? from[name] : undefined
}

function describe(loaded: unknown): string {
  if (!isObject(loaded)) return kindOf(loaded)
  return `a module with ${Object.keys(loaded).join(', ') || 'no exports'}`
}

/** The AWS variables that say neither who calls nor where. */
const HARMLESS = /^AWS_(?:LAMBDA_|ENDPOINT_URL|NODEJS_|XRAY_)/i

/**
 * The environment of handlers on a local cloud: a call that they make past it must not reach the developer's account, by
 * whatever the SDK would find there (keys, a profile, a web identity, a container, the metadata of an instance).
 */
export function handlerEnvironment(own: NodeJS.ProcessEnv): Environment {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value === undefined || (/^AWS_/i.test(name) && !HARMLESS.test(name)) ? [] : [[name, value]],
  )
  return {
    ...(Object.fromEntries(kept) as Environment),
    ...environmentOf({}),
    AWS_EC2_METADATA_DISABLED: 'true',
  }
}
