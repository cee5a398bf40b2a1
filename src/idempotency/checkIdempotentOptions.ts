import { ConfigError } from '../errors.ts'
import { METRICS_EXPECTED } from '../metrics/checkMetrics.ts'
import { isExpression } from './expression.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'

interface Check {
  readonly expected: string
  readonly ok: (value: unknown) => boolean
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const oneOf = (...values: readonly unknown[]): Check => ({
  expected: values.map((value) => JSON.stringify(value)).join(' or '),
  ok: (value) => values.includes(value),
})
const aFunction = (example: string): Check => ({
  expected: `a function, such as ${example}`,
  ok: (value) => typeof value === 'function',
})
const selector = (example: string, word?: string): Check => ({
  expected: `a function, such as ${example}, an expression such as jmespath('body.id')${word === undefined ? '' : `, or '${word}'`}`,
  ok: (value) =>
    typeof value === 'function' || isExpression(value) || (word !== undefined && value === word),
})
const having = (what: string, ...methods: readonly string[]): Check => ({
  expected: what,
  ok: (value) => isObject(value) && methods.every((method) => method in value),
})
/** Durations name themselves when they are read. */
const aDuration: Check = { expected: 'a duration', ok: () => true }

const OPTIONS: { readonly [Option in keyof IdempotentOptions<[], unknown>]-?: Check } = {
  store: having('a store, such as dynamoDbStore({ tableName })', 'create', 'update', 'read'),
  key: selector('(order) => order.id'),
  hash: oneOf('sha256', 'plain'),
  scope: { expected: 'a text', ok: (value) => typeof value === 'string' && value !== '' },
  tenant: selector('(event) => event.customerId', 'none'),
  lockTtl: aDuration,
  waitForOther: aDuration,
  retention: aDuration,
  validResponse: selector('(response) => response.ok'),
  payload: selector('(order) => [order.amount]', 'ignore'),
  classify: aFunction("(error) => 'release'"),
  replayHeader: oneOf(true, false),
  markReplay: oneOf(true, false),
  onReplay: aFunction('(response) => response'),
  when: aFunction("(event) => event.httpMethod === 'POST'"),
  results: having('a result store, such as s3Results({ bucket })', 'put', 'get'),
  logger: having('a logger with debug, info, warn and error', 'debug', 'info', 'warn', 'error'),
  metrics: having(METRICS_EXPECTED, 'addDimension', 'addMetric', 'publishStoredMetrics'),
  clock: having('a clock', 'now', 'sleep'),
}

/** @throws ConfigError. Values may come from JavaScript, or from an environment variable that is not set. */
export function checkIdempotentOptions(where: string, options: unknown): void {
  if (!isObject(options)) throw wrong(where, 'options', 'an object', options)
  const given = new Map<string, unknown>(Object.entries(options))
  for (const option of given.keys()) {
    if (Object.hasOwn(OPTIONS, option)) continue
    throw wrong(
      where,
      option,
      `one of ${Object.keys(OPTIONS).join(', ')}`,
      'an option that does not exist',
    )
  }
  for (const [option, { expected, ok }] of Object.entries(OPTIONS)) {
    const value = given.get(option)
    if (value === undefined && option !== 'store') continue
    if (!ok(value)) throw wrong(where, option, expected, value)
  }
}

function wrong(where: string, option: string, expected: string, got: unknown): ConfigError {
  return new ConfigError(`${where}: ${option}: expected ${expected}; got ${show(got)}`)
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'function') return 'a function'
  return JSON.stringify(value)?.slice(0, 100) ?? typeof value
}
