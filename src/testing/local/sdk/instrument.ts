import type { Instrumentable, SdkMiddleware } from './sdkMiddleware.ts'

/** The middleware of each client of a cloud, from the caller's side to the wire. */
export interface Instruments {
  readonly awsValidation: SdkMiddleware
  readonly restoreLostAttributes: SdkMiddleware
  readonly conflicts: SdkMiddleware
  readonly staleReads: SdkMiddleware
  readonly faultMiddleware: SdkMiddleware
}

/**
 * Adds the middleware to a client; a second call replaces it.
 * @param set part of the names under which they stand: another set is added beside the first
 */
export function instrument<Client extends Instrumentable>(
  client: Client,
  instruments: Instruments,
  set = '',
): Client {
  const outermost = { step: 'initialize', priority: 'high', override: true }
  // Once per call and outside the SDK's retry loop: the SDK does not retry conflicts.
  const perCall = { step: 'initialize', priority: 'low', override: true }
  // Inside the SDK's retry loop, below everything else.
  const innermost = { step: 'deserialize', priority: 'low', override: true }
  const { middlewareStack } = client
  middlewareStack.add(instruments.awsValidation, {
    ...outermost,
    name: `lineclearStrictness${set}`,
  })
  middlewareStack.add(instruments.restoreLostAttributes, {
    ...outermost,
    name: `lineclearMemory${set}`,
  })
  middlewareStack.add(instruments.conflicts, { ...perCall, name: `lineclearConflicts${set}` })
  middlewareStack.add(instruments.staleReads, { ...perCall, name: `lineclearStaleReads${set}` })
  middlewareStack.add(instruments.faultMiddleware, { ...innermost, name: `lineclearFaults${set}` })
  return client
}
