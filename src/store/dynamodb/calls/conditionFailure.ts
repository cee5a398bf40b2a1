import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'

const NAME = 'ConditionalCheckFailedException'

/** Compared by name, because the client may come from another copy of the SDK. */
export function isConditionFailure(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof Error && error.name === NAME
}

/** The error that the SDK throws, as far as the store reads it. Undefined: the answer says something else. */
export function conditionFailureIn(answer: Readonly<Record<string, unknown>>): Error | undefined {
  const { __type: type, message, Item } = answer
  const isOne = typeof type === 'string' && type.split('#').at(-1) === NAME
  return isOne ? Object.assign(new Error(String(message)), { name: NAME, Item }) : undefined
}
