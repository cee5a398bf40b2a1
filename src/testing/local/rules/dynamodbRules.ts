import type { AwsRefusal } from '../../queues/refuseEntry.ts'

/** One request, or one action of a transaction. */
interface Action {
  readonly ConditionExpression?: string
  readonly UpdateExpression?: string
  readonly ProjectionExpression?: string
  readonly FilterExpression?: string
  readonly KeyConditionExpression?: string
}
interface Request extends Action {
  readonly TransactItems?: readonly Readonly<Record<string, Action | undefined>>[]
}

/**
 * Expressions hold names, placeholders and operators: all ASCII. DynamoDB answers anything else with a syntax error;
 * dynoxide 1.2.1 aborts its process (GHSA-gwhp-7jch-7xj6), so the request must not reach it.
 */
export function refuseExpressions(request: Request): AwsRefusal | undefined {
  const inTransaction = (request.TransactItems ?? []).flatMap((item) => Object.values(item))
  for (const action of [request, ...inTransaction]) {
    const refusal = action && refuseAction(action)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuseAction(action: Action): AwsRefusal | undefined {
  const { ConditionExpression, UpdateExpression, ProjectionExpression } = action
  const { FilterExpression, KeyConditionExpression } = action
  const [foreign] =
    /[^\t\n\r\x20-\x7E]/u.exec(
      [
        ConditionExpression,
        UpdateExpression,
        ProjectionExpression,
        FilterExpression,
        KeyConditionExpression,
      ].join(''),
    ) ?? []
  if (foreign === undefined) return undefined
  return {
    code: 'ValidationException',
    message: `Invalid expression: Syntax error; token: "${foreign}". Put the name behind a placeholder of ExpressionAttributeNames.`,
  }
}
