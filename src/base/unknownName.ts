/** Names that the AWS SDK uses, and common slips, with the correct name. The compiler shows it where it refuses the wrong one. */
export interface Misnamed {
  readonly Item: "write 'put'"
  readonly Set: "write 'set'"
  readonly Remove: "write 'remove'"
  readonly Add: "write 'add', in ctx.applyOnce"
  readonly add: 'every attempt would add again; ctx.applyOnce adds once'
  readonly Put: "write 'put'"
  readonly Delete: "write 'delete: true', in ctx.applyOnce"
  readonly Update: "write 'set', 'remove' or 'add'"
  readonly UpdateExpression: "write 'set', 'remove' or 'add'"
  readonly ConditionExpression: "write 'guard', such as exists() or atLeast('available', 1)"
  readonly condition: "write 'guard', such as exists() or atLeast('available', 1)"
  readonly ExpressionAttributeNames: 'names are written as they are, without #'
  readonly ExpressionAttributeValues: 'values are written as they are, without :'
  readonly ConsistentRead: 'ctx.get always reads consistently'
  readonly ProjectionExpression: 'ctx.get reads the whole item'
  readonly ReturnValues: 'what refused a write is in its result; read the item with ctx.get'
  readonly key: "write 'Key'"
  readonly tableName: "write 'TableName'"
  readonly table: "write 'TableName'"
  readonly Guard: "write 'guard'"
  readonly DelaySeconds: "write 'delay', such as '10s'"
  readonly delaySeconds: "write 'delay', such as '10s'"
  readonly MessageAttributes: "write 'attributes', such as { kind: 'urgent' }"
  readonly MessageGroupId: "write 'groupId'"
  readonly MessageDeduplicationId: "the id of the message is its deduplication id; 'name' tells two messages apart"
  readonly Subject: 'a Subject is not sent: put it into the payload'
}

/**
 * The first name that is not in `allowed`, with the allowed name that it resembles (`MessageGroupId` contains `groupId`; `gaurd`
 * is `guard` with one slip), or else with all of them. The texts of `Misnamed` are types for the compiler: as values they would
 * be parsed at every cold start, and only JavaScript callers get here.
 */
export function unknownName(given: object, allowed: readonly string[]): string | undefined {
  const name = Object.keys(given).find((each) => !allowed.includes(each))
  if (name === undefined) return undefined
  const shown = name.slice(0, 80)
  return `${JSON.stringify(shown)} is not known here: ${cureOf(shown, allowed)}`
}

function cureOf(name: string, allowed: readonly string[]): string {
  if (name === 'add') return 'every attempt would add again; ctx.applyOnce(name, write) adds once'
  const nearest = allowed.find((each) => resemble(each.toLowerCase(), name.toLowerCase()))
  return nearest === undefined ? `expected ${allowed.join(', ')}` : `write '${nearest}'`
}

/** One contains the other, or is it with one slip. Both in lower case. */
export function resemble(one: string, other: string): boolean {
  return other !== '' && (one.includes(other) || other.includes(one) || isSlip(one, other))
}

/** One letter is missing, added or changed, or two letters are swapped. */
function isSlip(one: string, other: string): boolean {
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let end = 0
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const left = one.slice(start, one.length - end)
  const right = other.slice(start, other.length - end)
  if (left.length <= 1 && right.length <= 1) return most > 1
  return left.length === 2 && left === right.slice(1) + right.slice(0, 1)
}
