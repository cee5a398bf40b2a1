import { ConfigError } from '../errors.ts'
import type { Store } from '../store/store.ts'

/** Which function has the name of a Lambda for its scope, by store and name. */
const handlers = new WeakMap<Store, Map<string, object>>()

/**
 * The scope of a function that was given none. Only a Lambda handler has a name of its own that lasts, that of its Lambda: two
 * functions under it would have each other's answers.
 * @throws ConfigError for any other function
 */
export function handlerScope(
  store: Store,
  lambdaName: string | undefined,
  handler: object,
): string {
  if (lambdaName === undefined || lambdaName === '') {
    throw unnamed('a function that is no Lambda handler, or is called without a context')
  }
  const ofStore = handlers.get(store) ?? new Map<string, object>()
  handlers.set(store, ofStore)
  const first = ofStore.get(lambdaName) ?? handler
  ofStore.set(lambdaName, first)
  if (first === handler) return lambdaName
  throw unnamed(`the second function in the Lambda ${lambdaName}`)
}

function unnamed(what: string): ConfigError {
  return new ConfigError(
    `idempotent: scope: expected a text that names this kind of work, such as 'refunds', for ${what}; got nothing. ` +
      `Without it two functions would have each other's answers. Nothing was run.`,
  )
}
