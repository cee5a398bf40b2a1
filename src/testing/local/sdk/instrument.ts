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

/** The part of an SDK client that the local cloud uses, as a shape: every v3 client fits, whatever its version. */
export interface Instrumentable {
  readonly middlewareStack: { add(middleware: SdkMiddleware, options: object): void }
}

export type SdkMiddleware = (next: NextHandler, context: SdkCallContext) => NextHandler
export type NextHandler = (call: SdkCall) => Promise<SdkAnswer>

export interface SdkCall {
  readonly input: object
  /** Present from the SDK's step `build` on. */
  readonly request?: unknown
}

export interface SdkCallContext {
  readonly commandName?: string
}

export interface SdkAnswer {
  readonly output: object
  readonly response: unknown
}

/** The name of the API action, such as `SendMessage`. */
export function actionOf({ commandName = '' }: SdkCallContext): string {
  return commandName.replace(/Command$/, '')
}
