import { ConfigError } from '../errors.ts'
import { isMetrics, METRICS_EXPECTED } from '../metrics/checkMetrics.ts'
import type { RecordHandlerOptions, RetryOptions } from './options.ts'

type Known<Options> = { readonly [Option in keyof Options]-?: Check }
interface Check {
  readonly expected: string
  readonly ok: (value: unknown) => boolean
}

const NAME = /^[\w.-]{1,128}$/
const TOPIC = /^arn:[^:]+:sns:/
const QUEUE_URL = /^https?:\/\/.+\/[^/]+$/

const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isMissing = (value: unknown): boolean => value === undefined

const optional = ({ expected, ok }: Check): Check => ({
  expected,
  ok: (value) => isMissing(value) || ok(value),
})
const oneOf = (...values: readonly string[]): Check =>
  optional({
    expected: values.map((value) => `'${value}'`).join(' or '),
    ok: (value) => isText(value) && values.includes(value),
  })
const whole = (least: number, most: number): Check =>
  optional({
    expected: `a whole number from ${least} to ${most}`,
    ok: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  })
const aFunction = (example: string): Check =>
  optional({ expected: `a function, such as ${example}`, ok: isFunction })
const queueUrl: Check = optional({
  expected: 'the URL of a queue',
  ok: (value) => isText(value) && QUEUE_URL.test(value),
})
const aClient = (name: string): Check =>
  optional({ expected: `a ${name}`, ok: (value) => isObject(value) && 'send' in value })
/** Durations name themselves when they are read. */
const aDuration: Check = { expected: 'a duration', ok: () => true }

const OPTIONS: Known<RecordHandlerOptions> = {
  name: {
    expected: 'letters, digits, ".", "_" or "-", at most 128',
    ok: (value) => isText(value) && NAME.test(value),
  },
  formerNames: optional({
    expected: "a list of names, such as ['orders']",
    ok: (value) => Array.isArray(value) && value.every((name) => isText(name) && NAME.test(name)),
  }),
  sharedName: optional({ expected: 'true or false', ok: (value) => typeof value === 'boolean' }),
  store: {
    expected: 'a store, such as dynamoDbStore({ tableName })',
    ok: (value) => isObject(value) && 'create' in value && 'transact' in value,
  },
  schema: optional({
    expected: 'a Standard Schema',
    ok: (value) => (isObject(value) || isFunction(value)) && '~standard' in Object(value),
  }),
  parse: oneOf('json', 'text'),
  topics: optional({
    expected: "a list of topic ARNs, or 'any'",
    ok: (value) =>
      value === 'any' ||
      (Array.isArray(value) && value.every((topic) => isText(topic) && TOPIC.test(topic))),
  }),
  id: aFunction('(payload) => payload.orderId'),
  sentAt: aFunction('(payload) => payload.changedAt'),
  retry: optional({ expected: 'an object', ok: isObject }),
  deadLetterQueueUrl: queueUrl,
  queueUrl,
  concurrency: whole(1, 1_000),
  reportBatchItemFailures: optional({
    expected: 'true or false',
    ok: (value) => typeof value === 'boolean',
  }),
  retention: aDuration,
  reserve: aDuration,
  logger: optional({
    expected: 'a logger with debug, info, warn and error',
    ok: (value) =>
      isObject(value) && ['debug', 'info', 'warn', 'error'].every((level) => level in value),
  }),
  metrics: optional({ expected: METRICS_EXPECTED, ok: isMetrics }),
  results: optional({
    expected: 'a result store, such as s3Results({ bucket })',
    ok: (value) => isObject(value) && 'put' in value && 'get' in value,
  }),
  sqs: aClient('SQSClient'),
  sns: aClient('SNSClient'),
  onSettled: aFunction('(settlement, message) => {}'),
  clock: optional({ expected: 'a clock', ok: (value) => isObject(value) && 'now' in value }),
}

const RETRY: Known<RetryOptions> = {
  maxAttempts: whole(1, 1_000),
  delay: optional({
    expected: "a time such as '10s', a list of times, or a function such as exponential()",
    ok: (value) =>
      isFunction(value) || isText(value) || typeof value === 'number' || Array.isArray(value),
  }),
  maxAge: aDuration,
  transport: oneOf('resend', 'visibility'),
  form: oneOf('transparent', 'wrapped'),
}

/** @throws ConfigError naming the option, what was expected and what came. Values may come from JavaScript, or from an unset variable. */
export function checkOptions(options: unknown, handle: unknown, who: string): void {
  const expect = expectBy(who)
  expect('the first argument', isObject(options), 'an object of options', options)
  expect('the second argument', isFunction(handle), 'a function (payload, ctx)', handle)
  check(expect, '', options, OPTIONS)
  const retry = isObject(options) && 'retry' in options ? options.retry : undefined
  check(expect, 'retry.', retry, RETRY)
}

/** Given as `process.env['X']` they are meant to be there. */
const FROM_THE_ENVIRONMENT = ['queueUrl', 'deadLetterQueueUrl']
const UNSET = 'is its environment variable set? Else leave the option out'

function check(
  expect: Expect,
  prefix: string,
  options: unknown,
  known: Readonly<Record<string, Check>>,
): void {
  const given = new Map(Object.entries(isObject(options) ? options : {}))
  const other = [...given.keys()].find((option) => !Object.hasOwn(known, option))
  if (other !== undefined) {
    const among = `one of ${Object.keys(known).join(', ')}`
    expect(`${prefix}${other}`, false, among, 'an option that does not exist')
  }
  for (const option of FROM_THE_ENVIRONMENT) {
    const missing = given.has(option) && given.get(option) === undefined
    expect(`${prefix}${option}`, !missing, `${queueUrl.expected} (${UNSET})`, undefined)
  }
  for (const [option, { ok, expected }] of Object.entries(known)) {
    expect(`${prefix}${option}`, ok(given.get(option)), expected, given.get(option))
  }
}

type Expect = (option: string, ok: boolean, expected: string, got: unknown) => void

function expectBy(who: string): Expect {
  return (option, ok, expected, got) => {
    if (!ok) throw new ConfigError(`${who}: ${option}: expected ${expected}; got ${show(got)}`)
  }
}

function show(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  return value === undefined ? 'nothing' : (JSON.stringify(value)?.slice(0, 100) ?? typeof value)
}
