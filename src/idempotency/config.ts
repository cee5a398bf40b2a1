import { randomInt } from 'node:crypto'
import { toMilliseconds } from '../duration.ts'
import { ConfigError } from '../errors.ts'
import { checkIdempotentOptions } from './checkIdempotentOptions.ts'
import { type Expression, isExpression } from './expression.ts'
import { headerView } from './http/headerView.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'
import { type KeyConfig, keyConfig } from './keyConfig.ts'

/** The options of an idempotent function, checked and complete. Nothing in it belongs to a single call. */
export interface IdempotencyConfig<Args extends readonly unknown[], Output> extends KeyConfig {
  readonly options: IdempotentOptions<Args, Output>
  /** Milliseconds. */
  readonly lockTtl: number | undefined
  readonly waitForOther: number
  /** 0 to 1: callers that wait for one key must not all look at the same time. */
  readonly chance: () => number
}

/** @throws ConfigError naming the option, what was expected and what came. */
export function idempotencyConfig<Args extends readonly unknown[], Output>(
  where: string,
  options: IdempotentOptions<Args, Output>,
): IdempotencyConfig<Args, Output> {
  checkIdempotentOptions(where, options)
  const config = keyConfig(options.store, options, '24h')
  const waitForOther = toMilliseconds('waitForOther', options.waitForOther ?? '10s')
  const lockTtl =
    options.lockTtl === undefined ? undefined : toMilliseconds('lockTtl', options.lockTtl)
  const ascending = [waitForOther, lockTtl ?? waitForOther, config.retention]
  if (ascending.some((time, index) => time > (ascending[index + 1] ?? Infinity))) {
    throw new ConfigError(
      `${where}: expected waitForOther (10s by default) to be at most lockTtl, and lockTtl at most retention (24h by default); ` +
        `got ${ascending.map((time) => `${time} ms`).join(', ')}`,
    )
  }
  const chance = (): number => randomInt(1_000) / 1_000
  return { ...config, options, lockTtl, waitForOther, chance }
}

export function applySelector<Args extends readonly unknown[], T>(
  selector: ((...args: Args) => T) | Expression,
  args: Args,
): unknown {
  return isExpression(selector) ? selector.select(headerView(args[0])) : selector(...args)
}
