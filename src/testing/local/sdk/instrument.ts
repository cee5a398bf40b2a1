import type { Instrumentable, SdkMiddleware } from './sdkMiddleware.ts'

/** What each client of a cloud gets, from the caller's side to the wire. */
export interface Instruments {
  readonly awsValidation: SdkMiddleware
  readonly restoreLostAttributes: SdkMiddleware
  readonly conflicts: SdkMiddleware
  readonly staleReads: SdkMiddleware
  readonly faultMiddleware: SdkMiddleware
}

/** Once per client, however often it is called. */
export function instrument<Client extends Instrumentable>(
  client: Client,
  instruments: Instruments,
): Client {
  const outermost = { step: 'initialize', priority: 'high', override: true }
  // Once per call, whatever the SDK tries again: it tries no conflict again.
  const perCall = { step: 'initialize', priority: 'low', override: true }
  // Inside the SDK's retry loop, below everything else.
  const innermost = { step: 'deserialize', priority: 'low', override: true }
  const { middlewareStack } = client
  middlewareStack.add(instruments.awsValidation, { ...outermost, name: 'lineclearStrictness' })
  middlewareStack.add(instruments.restoreLostAttributes, { ...outermost, name: 'lineclearMemory' })
  middlewareStack.add(instruments.conflicts, { ...perCall, name: 'lineclearConflicts' })
  middlewareStack.add(instruments.staleReads, { ...perCall, name: 'lineclearStaleReads' })
  middlewareStack.add(instruments.faultMiddleware, { ...innermost, name: 'lineclearFaults' })
  return client
}
