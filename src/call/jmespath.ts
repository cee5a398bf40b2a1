import {
  compile,
  isRegistered,
  type JSONValue,
  register,
  TreeInterpreter,
  TYPE_STRING,
} from '@jmespath-community/jmespath'
import { ConfigError, messageOf } from '../base/errors.ts'
import type { Expression } from './readKey.ts'

type ExpressionNode = ReturnType<typeof compile>

/**
 * A compiled JMESPath expression for the options `key`, `tenant`, `payload` and `validResponse` of `idempotent` and the middy
 * middleware. It is applied to the first argument of a call (`validResponse`: to the answer). Header names are
 * case-insensitive; `json(body)` parses a JSON text. Needs the package `@jmespath-community/jmespath`.
 * @throws ConfigError at once when the expression is not valid
 * @example
 * import { idempotent } from 'lineclear'
 * import { jmespath } from 'lineclear/jmespath'
 *
 * export const handler = idempotent(
 *   { store, name: 'payments', key: jmespath('[headers."idempotency-key", json(body).orderId]') },
 *   async (event: APIGatewayProxyEvent, _context: Context) => createPayment(event),
 * )
 */
export function jmespath(expression: string): Expression {
  registerFunctions()
  const tree = parse(expression)
  // `{a: x, b: y}` selects null for a missing field. As a list, each field is a part of the key, which must not be missing.
  const isHash = tree.type === 'MultiSelectHash'
  return {
    expression,
    select(input) {
      const found: unknown = TreeInterpreter.search(tree, input as JSONValue)
      // @protects an expression that lacks a part makes no key
      // @without its else
      return isHash && typeof found === 'object' && found !== null ? Object.values(found) : found
    },
  }
}

function parse(expression: string): ExpressionNode {
  try {
    const tree = compile(expression)
    const unknown = functionsIn(tree).find((name) => !isRegistered(name))
    if (unknown !== undefined) throw new Error(`there is no function ${unknown}`)
    return tree
  } catch (error) {
    throw new ConfigError(
      `jmespath: ${JSON.stringify(expression)} is no valid JMESPath expression (${messageOf(error)}). ` +
        `Put names with a dash in double quotes: headers."idempotency-key"`,
      { cause: error },
    )
  }
}

/** The library reports an unknown function only when it evaluates it. */
function functionsIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return []
  const inside = Object.values(node).flatMap(functionsIn)
  const isCall = 'type' in node && node.type === 'Function' && 'name' in node
  return isCall ? [String(node.name), ...inside] : inside
}

/** `powertools_json` as in Powertools, and `json` as a shorter name. */
function registerFunctions(): void {
  for (const name of ['json', 'powertools_json']) register(name, parseJson, [TEXT], OVERRIDE)
}

const TEXT = { types: [TYPE_STRING] }
const OVERRIDE = { override: true }

function parseJson([text]: readonly unknown[]): JSONValue {
  return JSON.parse(String(text)) as JSONValue
}
