import { type Context, context } from '@opentelemetry/api'

/** @returns undefined when `call` throws: a tracer, a propagator or an exporter that fails must not fail a record */
export function safely<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

/** Calls `work` once in the given context, also when the context manager throws, before or after it has called it. */
export function within<T>(given: Context, work: () => T): T {
  let end: { readonly value: T } | { readonly error: unknown } | undefined
  const run = (): void => {
    try {
      end = { value: work() }
    } catch (error) {
      end = { error }
    }
  }
  safely(() => context.with(given, run))
  if (end === undefined) run()
  return unwrap(end)
}

function unwrap<T>(end: { readonly value: T } | { readonly error: unknown } | undefined): T {
  if (end === undefined) throw new Error('the work has neither returned nor thrown')
  if ('error' in end) throw end.error
  return end.value
}
