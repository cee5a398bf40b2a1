import * as option from '../options.ts'
import { isExpression } from './expression.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'

const OPTIONS: option.Checks<IdempotentOptions<[], unknown>> = {
  store: option.aStore,
  key: selector('(order) => order.id'),
  hash: option.oneOf('sha256', 'plain'),
  scope: option.matching(/./, 'a text'),
  tenant: selector('(event) => event.customerId', 'none'),
  lockTtl: option.anything,
  waitForOther: option.anything,
  retention: option.anything,
  validResponse: selector('(response) => response.ok'),
  payload: selector('(order) => [order.amount]', 'ignore'),
  classify: option.aFunction("(error) => 'release'"),
  replayHeader: option.trueOrFalse,
  markReplay: option.trueOrFalse,
  onReplay: option.aFunction('(response) => response'),
  when: option.aFunction("(event) => event.httpMethod === 'POST'"),
  results: option.aResultStore,
  logger: option.aLogger,
  metrics: option.someMetrics,
  clock: option.aClock,
}

/** @throws ConfigError. Values may come from JavaScript, or from an environment variable that is not set. */
export function checkIdempotentOptions(where: string, options: unknown): void {
  option.checkOptions(where, options, OPTIONS)
}

function selector(example: string, word?: string): option.Check {
  const other = word === undefined ? '' : `, or '${word}'`
  return {
    expected: `a function, such as ${example}, an expression such as jmespath('body.id')${other}`,
    isRight: (value) =>
      typeof value === 'function' || isExpression(value) || (word !== undefined && value === word),
  }
}
