import * as option from '../base/options.ts'
import { randomInt } from 'node:crypto'
import { toMilliseconds } from '../base/options.ts'
import { ConfigError } from '../base/errors.ts'
import { isExpression } from './readKey.ts'
import type { EffectOptions, IdempotentOptions } from './idempotentOptions.ts'
import { KEY_OPTIONS, type KeyConfig, keyConfig } from './keyConfig.ts'

/** The options of an idempotent function, checked and with their defaults. They hold no state of a single call. */
export interface IdempotencyConfig<Args extends readonly unknown[], Output> extends KeyConfig {
  readonly options: CheckedOptions<Args, Output>
  /** Milliseconds. */
  readonly lockTtl: number | undefined
  /** Milliseconds. */
  readonly waitForOther: number
  /** 0 to 1. */
  readonly random: () => number
}

export type CheckedOptions<Args extends readonly unknown[], Output> = IdempotentOptions<
  Args,
  Output
> &
  Partial<EffectOptions<unknown>>

/** @throws ConfigError naming the option, what was expected and what was given. */
export function idempotencyConfig<Args extends readonly unknown[], Output>(
  where: string,
  options: CheckedOptions<Args, Output>,
): IdempotencyConfig<Args, Output> {
  option.checkOptions(where, options, OPTIONS)
  const common = keyConfig(options.store, options, '24h')
  const waitForOther = toMilliseconds('waitForOther', options.waitForOther ?? '10s')
  const lockTtl =
    options.lockTtl === undefined ? undefined : toMilliseconds('lockTtl', options.lockTtl)
  const ascending = [waitForOther, lockTtl ?? waitForOther, common.retention]
  if (ascending.some((time, index) => time > (ascending[index + 1] ?? Infinity))) {
    throw new ConfigError(
      `${where}: expected waitForOther (10s by default) to be at most lockTtl, and lockTtl at most retention (24h by default); ` +
        `got ${ascending.map((time) => `${time} ms`).join(', ')}`,
    )
  }
  const random = (): number => randomInt(1_000) / 1_000
  return { ...common, options, lockTtl, waitForOther, random }
}

/** Checked at run time too: JavaScript has no types, and an environment variable may not be set. */
const OPTIONS: option.Checks<CheckedOptions<[], unknown>> = {
  store: option.aStore,
  key: selector('(order) => order.id'),
  hash: option.oneOf('sha256', 'plain'),
  scope: option.matching(/./, 'a text'),
  tenant: selector('(event) => event.customerId', 'none'),
  lockTtl: option.anything,
  waitForOther: option.anything,
  validResponse: selector('(response) => response.ok'),
  payload: selector('(order) => [order.amount]', 'ignore'),
  classify: option.aFunction("(error) => 'release'"),
  replayHeader: option.trueOrFalse,
  onReplay: option.aFunction('(response) => response'),
  when: option.aFunction("(event) => event.httpMethod === 'POST'"),
  effects: {
    expected: 'callEffects()',
    isRight: (value) => option.hasMembers(value, 'fencedCall', 'open'),
  },
  ...KEY_OPTIONS,
}

function selector(example: string, word?: string): option.Check {
  const other = word === undefined ? '' : `, or '${word}'`
  return {
    expected: `a function, such as ${example}, an expression such as jmespath('body.id')${other}`,
    isRight: (value) =>
      typeof value === 'function' || isExpression(value) || (word !== undefined && value === word),
  }
}
