import { ConfigError } from './errors.ts'
import { isObject, isPlain, kindOf } from './kindOf.ts'
import { type Duration, DURATION_EXPECTED, parseDuration } from './time.ts'

/**
 * Options may come from JavaScript, and from environment variables that are not set. Every check has the same form of error:
 * `<who>: <option>: expected <what>; got <what was given>`. An unknown name is refused together with the name that it resembles.
 */
export interface Check {
  /** Completes the words "expected …" in the error. */
  readonly expected: string
  /** Not called with `undefined`, which means that the option is left out. */
  readonly isRight: (value: unknown) => boolean
  /** The option may not be left out. */
  readonly required?: true
  /** The option may be left out, but if it is written it may not be `undefined`, as an unset variable is. */
  readonly whenWritten?: true
  /** The option is an object of options of its own. */
  readonly members?: Readonly<Record<string, Check>>
}
export type Checks<Options> = { readonly [Option in keyof Options]-?: Check }

/**
 * @param prefix where the options belong, such as `retry.`
 * @throws ConfigError for the first option that is unknown, missing or wrong
 */
export function checkOptions(
  who: string,
  options: unknown,
  checks: Readonly<Record<string, Check>>,
  prefix = '',
): void {
  if (options === undefined && prefix !== '') return
  const given = new Map<string, unknown>(
    Object.entries(assertKnown(who, options, Object.keys(checks), prefix)),
  )
  for (const [option, check] of Object.entries(checks)) {
    const { expected, isRight, required, whenWritten, members } = check
    const value = given.get(option)
    if (value !== undefined && isRight(value)) {
      if (members !== undefined) checkOptions(who, value, members, `${prefix}${option}.`)
      continue
    }
    if (value !== undefined || required) throw wrongOption(who, prefix + option, expected, value)
    if (whenWritten && given.has(option)) {
      throw wrongOption(who, prefix + option, `${expected} (${UNSET})`, value)
    }
  }
}

const UNSET = 'is its environment variable set? Else leave the option out'

/** @throws ConfigError when `options` is no object, or has a name that is not among `names` */
export function assertKnown(
  who: string,
  options: unknown,
  names: readonly string[],
  prefix = '',
): object {
  const where = prefix === '' ? who : `${who}: ${prefix.slice(0, -1)}`
  if (!isObject(options))
    throw new ConfigError(`${where}: expected an object of options; got ${shown(options)}`)
  const unknown = unknownName(options, names)
  if (unknown !== undefined) throw new ConfigError(`${where}: ${unknown}`)
  return options
}

export function wrongOption(
  who: string,
  option: string,
  expected: string,
  got: unknown,
): ConfigError {
  return new ConfigError(`${who}: ${option}: expected ${expected}; got ${shown(got)}`)
}

/** The value of an option, for the error. An option is not a payload, so it may be shown; instances of classes are not. */
function shown(value: unknown): string {
  if (value === undefined || typeof value === 'function') return kindOf(value)
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlain(value)) {
    return kindOf(value)
  }
  try {
    // JSON shows a missing entry of a list, such as an environment variable that is not set, as null.
    const given = Array.isArray(value) ? value.map((each: unknown) => each ?? String(each)) : value
    return JSON.stringify(given)?.slice(0, 100) ?? kindOf(value)
  } catch {
    return kindOf(value)
  }
}

/** Whether the value has these members. Clients, loggers and clocks from another copy of a package are accepted. */
export function hasMembers(value: unknown, ...names: readonly string[]): boolean {
  return (isObject(value) || typeof value === 'function') && names.every((name) => name in value)
}

export function required(check: Check): Check {
  return { ...check, required: true }
}

/** For an option that is checked when it is read, with an error of its own. */
export const anything: Check = { expected: 'anything', isRight: () => true }
export const anObject: Check = { expected: 'an object', isRight: isObject }
export const trueOrFalse: Check = {
  expected: 'true or false',
  isRight: (value) => typeof value === 'boolean',
}
export const aStore: Check = required(
  having('a store, such as dynamoDbStore({ tableName })', 'create', 'transact'),
)
export const aTracing: Check = having('openTelemetry()', 'batch', 'delivery')
export const someSqlEffects: Check = having(
  'SQL effects, such as postgresEffects(pool)',
  'raise',
  'open',
)
export const anOffload: Check = having('s3Objects({ bucket })', 'move', 'read', 'put', 'get')
export const aLogger: Check = having(
  'a logger with debug, info, warn and error',
  'debug',
  'info',
  'warn',
  'error',
)
export const someMetrics: Check = having(
  'metrics, such as emfMetrics() or Powertools Metrics',
  'addDimension',
  'addMetric',
  'publishStoredMetrics',
)
export const aSchema: Check = having('a Standard Schema', '~standard')
export const aClock: Check = having('a clock', 'now')
const URL = /^https?:\/\/.+\/[^/]+$/
export const aQueueUrl: Check = { ...matching(URL, 'the URL of a queue'), whenWritten: true }

export function aFunction(example: string): Check {
  return {
    expected: `a function, such as ${example}`,
    isRight: (value) => typeof value === 'function',
  }
}

export function aClient(name: string): Check {
  return having(`an ${name}`, 'send')
}
export const someClients: Check = objectOf({
  sqs: aClient('SQSClient'),
  sns: aClient('SNSClient'),
  eventBridge: aClient('EventBridgeClient'),
})

/** For an option that is an object of options of its own. */
export function objectOf(members: Readonly<Record<string, Check>>): Check {
  return { ...anObject, members }
}

export function oneOf(...values: readonly string[]): Check {
  return {
    expected: values.map((value) => `'${value}'`).join(' or '),
    isRight: (value) => typeof value === 'string' && values.includes(value),
  }
}

export function whole(least: number, most: number): Check {
  return {
    expected: `a whole number from ${least} to ${most}`,
    isRight: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  }
}

export function matching(pattern: RegExp, expected: string): Check {
  return { expected, isRight: (value) => typeof value === 'string' && pattern.test(value) }
}

export function listOf(pattern: RegExp, expected: string): Check {
  return {
    expected,
    isRight: (value) =>
      Array.isArray(value) && value.every((each) => typeof each === 'string' && pattern.test(each)),
  }
}

/** The text `'any'` beside what `check` accepts. */
export function orAny(check: Check): Check {
  return { ...check, isRight: (value) => value === 'any' || check.isRight(value) }
}

export function having(expected: string, ...members: readonly string[]): Check {
  return { expected, isRight: (value) => hasMembers(value, ...members) }
}

/** Names that the AWS SDK uses, and common slips, with the correct name. The compiler shows it where it refuses the wrong one. */
export interface Misnamed {
  readonly Item: "write 'put'"
  readonly Set: "write 'set'"
  readonly Remove: "write 'remove'"
  readonly Add: "write 'add'"
  readonly Put: "write 'put'"
  readonly Delete: "write 'delete: true'"
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
  const nearest = allowed.find((each) => resemble(each.toLowerCase(), name.toLowerCase()))
  return nearest === undefined ? `expected ${allowed.join(', ')}` : `write '${nearest}'`
}

/** One contains the other, or is it with one slip. Both in lower case. Two letters are in many names. */
export function resemble(one: string, other: string): boolean {
  const isPart = Math.min(one.length, other.length) > 2
  return (isPart && (one.includes(other) || other.includes(one))) || isSlip(one, other)
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

/** @throws ConfigError naming `option` when `duration` is not a finite time of zero or more. */
export function toMilliseconds(option: string, duration: Duration): number {
  const milliseconds = parseDuration(duration)
  if (milliseconds !== undefined) return milliseconds
  throw new ConfigError(`${option}: expected ${DURATION_EXPECTED}, got ${JSON.stringify(duration)}`)
}
