/** The middleware of each client of a cloud, from the caller's side to the wire. */
export type Instruments = readonly Instrument[]

interface Instrument {
  readonly name: string
  /**
   * `outermost`; `perCall`: once per call and outside the SDK's retry loop, as the SDK does not retry conflicts; `innermost`: inside
   * that loop, below everything else.
   */
  readonly place: keyof typeof PLACES
  readonly middleware: SdkMiddleware
}

const PLACES = {
  outermost: { step: 'initialize', priority: 'high', override: true },
  perCall: { step: 'initialize', priority: 'low', override: true },
  innermost: { step: 'deserialize', priority: 'low', override: true },
} as const

/**
 * Adds the middleware to a client; a second call replaces it.
 * @param set part of the names under which they are added: another set is added beside the first
 */
export function instrument<Client extends Instrumentable>(
  client: Client,
  instruments: Instruments,
  set = '',
): Client {
  for (const { name, place, middleware } of instruments) {
    client.middlewareStack.add(middleware, { ...PLACES[place], name: `lineclear${name}${set}` })
  }
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
