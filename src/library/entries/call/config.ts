import * as option from '../../base/options.ts'
import { randomInt } from 'node:crypto'
import { toMilliseconds } from '../../base/options.ts'
import { ConfigError } from '../../base/errors.ts'
import { isExpression } from './readKey.ts'
import type { ContextSource } from './contextSource.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'
import { aName, KEY_OPTIONS, type KeyConfig, keyConfig } from './keyConfig.ts'

/** The options of an idempotent function, checked and with their defaults. They hold no state of a single call. */
export interface IdempotencyConfig<Args extends readonly unknown[], Output> extends KeyConfig {
  readonly options: IdempotentOptions<Args, Output>
  /** undefined: the function has no `ctx`. */
  readonly context: ContextSource | undefined
  readonly leaseMs: number | undefined
  /** Milliseconds. */
  readonly waitForOther: number
  /** 0 to 1. */
  readonly random: () => number
}

/** @throws ConfigError naming the option, what was expected and what was given. */
export function idempotencyConfig<Args extends readonly unknown[], Output>(
  where: string,
  options: IdempotentOptions<Args, Output>,
  context?: ContextSource,
): IdempotencyConfig<Args, Output> {
  option.checkOptions(where, options, OPTIONS)
  const common = keyConfig(options.store, options, '24h')
  const waitForOther = toMilliseconds('waitForOther', options.waitForOther ?? '10s')
  const leaseMs = options.lease === undefined ? undefined : toMilliseconds('lease', options.lease)
  const ascending = [waitForOther, leaseMs ?? waitForOther, common.retention]
  if (ascending.some((time, index) => time > (ascending[index + 1] ?? Infinity))) {
    throw new ConfigError(
      `${where}: expected waitForOther (10s by default) to be at most lease, and lease at most retention (24h by default); ` +
        `got ${ascending.map((time) => `${time} ms`).join(', ')}`,
    )
  }
  const random = (): number => randomInt(1_000) / 1_000
  return { ...common, options, context, leaseMs, waitForOther, random }
}

/** Checked at run time too: JavaScript has no types, and an environment variable may not be set. */
const OPTIONS: option.Checks<IdempotentOptions<[], unknown>> = {
  store: option.aStore,
  key: selector('(order) => order.id'),
  hash: option.oneOf('sha256', 'plain'),
  name: aName,
  tenant: selector('(event) => event.customerId', 'none'),
  lease: option.anything,
  waitForOther: option.anything,
  validResponse: selector('(response) => response.ok'),
  payload: selector('(order) => [order.amount]', 'ignore'),
  alreadyDone: option.aFunction("(order) => 'new'"),
  classify: option.aFunction("(error) => 'release'"),
  onReplay: option.aFunction('(response) => response'),
  when: option.aFunction("(event) => event.httpMethod === 'POST'"),
  ...KEY_OPTIONS,
}

function selector(example: string, word?: string): option.Check {
  const other = word === undefined ? '' : `, or '${word}'`
  return {
    expected: `a function, such as ${example}, an expression such as jmespath('body.id', { search })${other}`,
    isRight: (value) =>
      typeof value === 'function' || isExpression(value) || (word !== undefined && value === word),
  }
}
