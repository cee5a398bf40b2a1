import { ConfigError } from '../errors.ts'
import type { Flow } from './flow.ts'

export function assertKnown(
  flow: Flow,
  method: string,
  name: string,
  known: ReadonlyMap<string, unknown>,
): void {
  if (known.has(name)) return
  const names = [...known.keys()].join(', ') || 'none'
  throw new ConfigError(
    `defineFlow('${flow.name}').${method}('${name}'): there is none of this name; there are: ${names}`,
  )
}

export function assertFunction(flow: Flow, method: string, name: string, handler: unknown): void {
  if (typeof handler === 'function') return
  throw new ConfigError(
    `defineFlow('${flow.name}').${method}('${name}'): expected a function (payload, ctx), got ${typeof handler}`,
  )
}
