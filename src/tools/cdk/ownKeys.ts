/** What the handler of a consumer touches in Lineclear's table, beside the claims under its name. */
export interface OwnKeysProps {
  /** The `formerNames` of its handler, whose claims it still reads. Default: none. */
  readonly formerNames?: readonly string[]
  /** Whether its handler has `delays: storedDelays(…)`. Default: false. */
  readonly delays?: boolean
  /** Whether its handler has `brake: circuitBreaker(…)`. Default: false. */
  readonly brake?: boolean
  /** The scopes of `idempotent`, `lockTokens` and `onceForever` that its handler calls. Default: none. */
  readonly scopes?: readonly string[]
}

/** The partition keys of a consumer, or of a stage of a flow. */
export function ownKeys(
  name: string,
  flow: string | undefined,
  { formerNames = [], delays = false, brake = false, scopes = [] }: OwnKeysProps,
): readonly string[] {
  const names = [name, ...formerNames].map((each) =>
    flow === undefined ? each : `${flow}.${each}`,
  )
  return [
    ...(flow === undefined ? [] : keysOfFlow(flow)),
    ...names.flatMap((each) => [`lock#${each}/*`, `lock#${each}.undo/*`]),
    ...(delays ? ['later#*'] : []),
    ...(brake ? ['brakes'] : []),
    ...keysOfScopes(scopes),
  ]
}

export function keysOfFlow(flow: string): readonly string[] {
  return [`flow#${flow}/*`, `await#${flow}/*`]
}

/** Behind the `@` is the tenant. */
function keysOfScopes(scopes: readonly string[]): readonly string[] {
  return scopes
    .map((scope) => encodeURIComponent(scope).replaceAll('*', '${*}'))
    .flatMap((scope) => [`key#${scope}/*`, `key#${scope}@*`, `once#${scope}/*`])
}

/** @param keys undefined: all items. Of no key at all, everything that is said of all keys is true: hence `Null`. */
export function onlyKeys(keys: readonly string[] | undefined): object {
  if (keys === undefined) return {}
  const conditions = {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  }
  return { conditions }
}
