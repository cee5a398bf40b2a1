/** What the AWS SDK calls otherwise, and common slips: the cure, for the compiler's refusal and for the error. */
export const MISNAMED = {
  Item: "write 'put'",
  Set: "write 'set'",
  Remove: "write 'remove'",
  Add: "write 'add', in ctx.applyOnce",
  Put: "write 'put'",
  Delete: "write 'delete: true', in ctx.applyOnce",
  Update: "write 'set', 'remove' or 'add'",
  UpdateExpression: "write 'set', 'remove' or 'add'",
  ConditionExpression: "write 'guard', such as exists() or atLeast('available', 1)",
  condition: "write 'guard', such as exists() or atLeast('available', 1)",
  ExpressionAttributeNames: 'names are written as they are, without #',
  ExpressionAttributeValues: 'values are written as they are, without :',
  ConsistentRead: 'ctx.get always reads consistently',
  ProjectionExpression: 'ctx.get reads the whole item',
  ReturnValues: 'what refused a write is in its result; read the item with ctx.get',
  key: "write 'Key'",
  tableName: "write 'TableName'",
  table: "write 'TableName'",
  Guard: "write 'guard'",
  DelaySeconds: "write 'delay', such as '10s'",
  delaySeconds: "write 'delay', such as '10s'",
  MessageAttributes: "write 'attributes', such as { kind: 'urgent' }",
  MessageGroupId: "write 'groupId'",
  MessageDeduplicationId:
    "the id of the message is its deduplication id; 'name' tells two messages apart",
  Subject: 'a Subject is not sent: put it into the payload',
} as const

export type Misnamed = typeof MISNAMED

/** What is not known by any of the allowed names, with the cure where one is at hand. */
export function unknownName(given: object, allowed: readonly string[]): string | undefined {
  const name = Object.keys(given).find((each) => !allowed.includes(each))
  if (name === undefined) return undefined
  const shown = JSON.stringify(name.slice(0, 80))
  return `${shown} is not known here: ${cureOf(name, allowed)}`
}

function cureOf(name: string, allowed: readonly string[]): string {
  if (name === 'add')
    return 'adding would happen again in the next attempt: use ctx.applyOnce(name, write)'
  const cure = Object.entries(MISNAMED).find(([wrong]) => wrong === name)?.[1]
  if (cure !== undefined) return cure
  const same = allowed.find((each) => each.toLowerCase() === name.toLowerCase())
  return same === undefined ? `expected ${allowed.join(', ')}` : `write '${same}'`
}
