import { DYNAMODB } from '../../limits/dynamodb.ts'
import type { Refusal } from '../refusal.ts'
import type { Statement } from './partiQl.ts'

/** One request, or one action of a transaction. */
interface Action {
  readonly ConditionExpression?: string
  readonly UpdateExpression?: string
  readonly ProjectionExpression?: string
  readonly FilterExpression?: string
  readonly KeyConditionExpression?: string
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>
}
interface Request extends Action {
  readonly TransactItems?: readonly Readonly<Record<string, Action | undefined>>[]
}

/**
 * What dynoxide takes and DynamoDB does not (Constraints.html); keys, sizes, numbers and transactions it checks itself.
 * Expressions hold names, placeholders and operators: all ASCII. DynamoDB answers anything else with a syntax error,
 * dynoxide 1.2.1 aborts its process (GHSA-gwhp-7jch-7xj6), so it must not get there.
 */
export function refuseExpressions(request: Request): Refusal | undefined {
  const inTransaction = (request.TransactItems ?? []).flatMap((item) => Object.values(item))
  for (const action of [request, ...inTransaction]) {
    const refusal = action && (refuseText(action) ?? refuseSizes(action))
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuseText(action: Action): Refusal | undefined {
  const [foreign] = /[^\t\n\r\x20-\x7E]/u.exec(expressionsOf(action).join('')) ?? []
  if (foreign === undefined) return undefined
  return invalidExpression(
    `Syntax error; token: "${foreign}". Put the name behind a placeholder of ExpressionAttributeNames.`,
  )
}

function refuseSizes(action: Action): Refusal | undefined {
  const { ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = action
  for (const name of Object.keys({ ...ExpressionAttributeNames, ...ExpressionAttributeValues })) {
    if (Buffer.byteLength(name) <= DYNAMODB.placeholderBytes) continue
    return invalidExpression(
      `A placeholder has ${Buffer.byteLength(name)} bytes, the most are ${DYNAMODB.placeholderBytes}.`,
    )
  }
  for (const expression of expressionsOf(action)) {
    const operators = countOperators(expression)
    if (operators > DYNAMODB.expressionOperators) {
      return invalidExpression(
        `The expression contains too many operators; operator count: ${operators}`,
      )
    }
    const operands = Math.max(0, ...operandsOfIn(expression))
    if (operands > DYNAMODB.inOperands) {
      return invalidExpression(
        `The IN operator is provided with too many operands; number of operands: ${operands}`,
      )
    }
  }
  return undefined
}

function expressionsOf(action: Action): readonly string[] {
  return [
    action.ConditionExpression,
    action.UpdateExpression,
    action.ProjectionExpression,
    action.FilterExpression,
    action.KeyConditionExpression,
  ].filter((expression) => expression !== undefined)
}

const OPERATOR = /<>|<=|>=|[=<>+-]|\b(?:and|or|not|between|in)\b|\b\w+\s*(?=\()/gi

/** Functions count too. An attribute behind a hyphen is none: names with one are behind a placeholder. */
function countOperators(expression: string): number {
  return expression.match(OPERATOR)?.length ?? 0
}

function operandsOfIn(expression: string): readonly number[] {
  return [...expression.matchAll(/\bin\s*\(([^)]*)\)/gi)].map(
    ([, list = '']) => list.split(',').length,
  )
}

function invalidExpression(why: string): Refusal {
  return { code: 'ValidationException', message: `Invalid expression: ${why}` }
}

/**
 * A SET and a REMOVE stand before each attribute (ql-reference.update.html), which dynoxide 1.2.1 cannot read: it gets the
 * list that it can. A REMOVE of a list, which DynamoDB cannot read, is made unreadable for it.
 */
export function asEngineReads(input: object): object {
  const { Statements = [] } = input as { readonly Statements?: readonly Statement[] }
  const translated = Statements.map((each) => ({ ...each, Statement: inLists(each.Statement) }))
  return { ...input, Statements: translated }
}

/** Names and texts in quotes are left as they are. */
const CLAUSES = /"[^"]*"|'[^']*'|,|\b(?:SET|REMOVE|WHERE)\b/gi

function inLists(text = ''): string {
  if (!/^\s*UPDATE\b/i.test(text)) return text
  let clause = ''
  return text.replace(CLAUSES, (token) => {
    const word = token.toUpperCase()
    if (token === ',' && clause === 'REMOVE') return ',,'
    if (!['SET', 'REMOVE', 'WHERE'].includes(word)) return token
    const isAgain = word === clause
    clause = word
    return isAgain ? ',' : token
  })
}
