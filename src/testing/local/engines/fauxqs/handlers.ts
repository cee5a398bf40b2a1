/** What carries out one action of SQS or SNS in fauxqs: its parameters, the queues or topics, and what else it needs. */
export type Handler = (
  params: Readonly<Record<string, unknown>>,
  store: object,
  ...rest: readonly unknown[]
) => unknown

/** An error that fauxqs answers as AWS does. */
export type RefusalOf = (code: string, message: string) => Error

export interface Router {
  register(action: string, handler: Handler): void
}

/** Replaces handlers as they are registered. */
export function replaceHandlers(
  router: Router,
  changes: Readonly<Record<string, (handler: Handler) => Handler>>,
): void {
  const { register } = router
  router.register = function (action, handler) {
    const change = Object.hasOwn(changes, action) ? changes[action] : undefined
    Reflect.apply(register, this, [action, change === undefined ? handler : change(handler)])
  }
}

/** Adds a handler to each router that registers any. */
export function addHandler(router: Router, action: string, handler: Handler): void {
  const { register } = router
  router.register = function (registered, own) {
    Reflect.apply(register, this, [action, handler])
    Reflect.apply(register, this, [registered, own])
  }
}
