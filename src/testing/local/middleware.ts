/** The part of the SDK's middleware that this room uses, by its shape: each SDK v3 client fits, whatever its version. */
export interface Instrumentable {
  readonly middlewareStack: { add(middleware: Middleware, options: object): void }
}

export type Middleware = (next: Next, context: CallContext) => Next
export type Next = (call: Call) => Promise<Answer>

export interface Call {
  readonly input: object
  /** From the SDK's step `build` on. */
  readonly request?: unknown
}

export interface CallContext {
  readonly commandName?: string
}

export interface Answer {
  readonly output: object
  readonly response: unknown
}

/** The command's name as AWS's pages have it: `SendMessage`. */
export function actionOf({ commandName = '' }: CallContext): string {
  return commandName.replace(/Command$/, '')
}
