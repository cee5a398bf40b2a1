/** Handlers carry what they were made of, for tools that draw them; several copies of Lineclear in a process understand each other. */
const MADE_OF = Symbol.for('lineclear.madeOf')

/** Adds what the handler was made of. Nothing in a running handler reads it. */
export function madeOf<Handler extends object>(handler: Handler, parts: object): Handler {
  return Object.assign(handler, { [MADE_OF]: parts })
}

/** undefined for what Lineclear has not made. */
export function partsOf(handler: unknown): unknown {
  return typeof handler === 'function' ? Reflect.get(handler, MADE_OF) : undefined
}
