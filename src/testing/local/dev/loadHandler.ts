import { ConfigError } from '../../../base/errors.ts'
import { isObject, kindOf } from '../../../base/kindOf.ts'
import type { QueueHandler } from '../mapping/invoke.ts'
import type { DevConsumer } from './definition.ts'

/** @throws ConfigError when the module does not export a handler; else what loading it throws */
export async function loadHandler(
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
  const isModule = isObject(from) || (typeof from === 'object' && from !== null)
  return isModule ? (from as Readonly<Record<string, unknown>>)[name] : undefined
}

function describe(loaded: unknown): string {
  if (typeof loaded !== 'object' || loaded === null) return kindOf(loaded)
  return `a module with ${Object.keys(loaded).join(', ') || 'no exports'}`
}
