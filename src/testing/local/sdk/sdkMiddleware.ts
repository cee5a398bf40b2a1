/** The part of the SDK's middleware that this room uses, by its shape: each SDK v3 client fits, whatever its version. */
export interface Instrumentable {
  readonly middlewareStack: { add(middleware: SdkMiddleware, options: object): void }
}

export type SdkMiddleware = (next: NextHandler, context: SdkCallContext) => NextHandler
export type NextHandler = (call: SdkCall) => Promise<SdkAnswer>

export interface SdkCall {
  readonly input: object
  /** From the SDK's step `build` on. */
  readonly request?: unknown
}

export interface SdkCallContext {
  readonly commandName?: string
}

export interface SdkAnswer {
  readonly output: object
  readonly response: unknown
}

/** The command's name as AWS's pages have it: `SendMessage`. */
export function actionOf({ commandName = '' }: SdkCallContext): string {
  return commandName.replace(/Command$/, '')
}
