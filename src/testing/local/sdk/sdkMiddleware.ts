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
