import {
  compile,
  isRegistered,
  type JSONValue,
  register,
  TreeInterpreter,
  TYPE_STRING,
} from '@jmespath-community/jmespath'
import { ConfigError, messageOf } from '../errors.ts'
import type { Expression } from './expression.ts'

type ExpressionNode = ReturnType<typeof compile>

/**
 * A JMESPath expression, compiled once, for the options `key`, `tenant`, `payload` and `validResponse`. It is applied to
 * the first argument; `headers."idempotency-key"` finds the header in any case. `json(body)` reads a text that is JSON.
 * @throws ConfigError at once when the expression is wrong, and says where.
 */
export function jmespath(expression: string): Expression {
  registerFunctions()
  const tree = parse(expression)
  // `{a: x, b: y}` gives null for what is missing: as a list, each of them is a part of the key, and has to be there.
  const isHash = tree.type === 'MultiSelectHash'
  return {
    expression,
    select(input) {
      const found: unknown = TreeInterpreter.search(tree, input as JSONValue)
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
      `jmespath: ${JSON.stringify(expression)} is no JMESPath expression (${messageOf(error)}). ` +
        `Names with a dash stand in double quotes: headers."idempotency-key"`,
      { cause: error },
    )
  }
}

/** The library finds out about names only when it gets to them. */
function functionsIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return []
  const inside = Object.values(node).flatMap(functionsIn)
  const isCall = 'type' in node && node.type === 'Function' && 'name' in node
  return isCall ? [String(node.name), ...inside] : inside
}

/** As Powertools has it, and under a shorter name. */
function registerFunctions(): void {
  for (const name of ['json', 'powertools_json']) register(name, parseJson, [TEXT], OVERRIDE)
}

const TEXT = { types: [TYPE_STRING] }
const OVERRIDE = { override: true }

function parseJson([text]: readonly unknown[]): JSONValue {
  return JSON.parse(String(text)) as JSONValue
}
