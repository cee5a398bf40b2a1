import { ConfigError, messageOf } from '../../../base/errors.ts'
import { hasMembers, wrongOption } from '../../../base/options.ts'
import { isObject } from '../../../base/kindOf.ts'
import type { Expression } from '../readKey.ts'

/**
 * The library that reads expressions: that of Powertools, as it is imported, or any other whose `search` is called with the
 * expression first.
 */
export interface JmespathLibrary {
  /** `search` of `@aws-lambda-powertools/jmespath`. */
  readonly search: (expression: string, data: never, options?: never) => unknown
  /** Further functions, such as `new PowertoolsFunctions()` of `@aws-lambda-powertools/jmespath/functions`. Default: none. */
  readonly customFunctions?: object
}

/**
 * A JMESPath expression for the options `key`, `tenant`, `payload` and `validResponse` of `idempotent` and the middy middleware.
 * It is applied to the first argument of a call (`validResponse`: to the answer). Header names are case-insensitive;
 * `powertools_json(body)` parses a JSON text. In TypeScript a function such as `({ orderId }) => orderId` says the same, and is
 * checked by the compiler.
 * @throws ConfigError at once when the expression is not valid
 * @example
 * import { search } from '@aws-lambda-powertools/jmespath'
 * import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions'
 * import { idempotency, jmespath } from 'lineclear/middy'
 *
 * const library = { search, customFunctions: new PowertoolsFunctions() }
 *
 * const once = idempotency({ store, key: jmespath('powertools_json(body).orderId', library) })
 */
export function jmespath(expression: string, library: JmespathLibrary): Expression {
  if (!hasMembers(library, 'search')) {
    const expected = 'a library, such as { search } of @aws-lambda-powertools/jmespath'
    throw wrongOption('jmespath', 'the second argument', expected, library)
  }
  const { search, customFunctions } = library
  const options = customFunctions && { customFunctions }
  const find = (input: unknown): unknown => search(expression, input as never, options as never)
  assertValid(expression, find)
  // `{a: x, b: y}` selects null for a missing field. As a list, each field is a part of the key, which must not be missing.
  const isHash = expression.trimEnd().endsWith('}')
  return {
    expression,
    select(input) {
      const found = find(input)
      return isHash && isObject(found) ? Object.values(found) : found
    },
  }
}

/** Names of the errors of Powertools' library that no event could cure. */
const OF_THE_EXPRESSION =
  /^(?:Lexer|Parse|(?:Empty|Incomplete)Expression|UnknownFunction|(?:Variadic)?Arity)Error$/

/** @throws ConfigError */
function assertValid(expression: string, find: (input: unknown) => unknown): void {
  try {
    find({})
  } catch (error) {
    // That an empty event lacks what a function asks for says nothing about the expression.
    if (!(error instanceof Error && OF_THE_EXPRESSION.test(error.name))) return
    throw new ConfigError(
      `jmespath: ${JSON.stringify(expression)} is no valid JMESPath expression (${messageOf(error)}). ` +
        `Put names with a dash in double quotes: headers."idempotency-key"`,
      { cause: error },
    )
  }
}
