const nothing = (): void => {}

/** Options of a handler that logs nothing, if it is to be quiet. */
export function quietly(quiet = false) {
  return quiet ? { logger: { debug: nothing, info: nothing, warn: nothing, error: nothing } } : {}
}
