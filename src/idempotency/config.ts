import { randomInt } from 'node:crypto'
import { toMilliseconds } from '../duration.ts'
import { ConfigError } from '../errors.ts'
import { checkIdempotentOptions } from './checkIdempotentOptions.ts'
import { type Expression, isExpression } from './expression.ts'
import { headerView } from './http/headerView.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'
import { type KeyKeeper, keyKeeper } from './keyConfig.ts'

/** The options of an idempotent function, checked and complete. Nothing in it belongs to a single call. */
export interface Guard<Args extends readonly unknown[], Output> extends KeyKeeper {
  readonly options: IdempotentOptions<Args, Output>
  /** Milliseconds. */
  readonly lockTtl: number | undefined
  readonly waitForOther: number
  /** 0 to 1: callers that wait for one key must not all look at the same time. */
  readonly chance: () => number
}

/** @throws ConfigError naming the option, what was expected and what came. */
export function guardOf<Args extends readonly unknown[], Output>(
  where: string,
  options: IdempotentOptions<Args, Output>,
): Guard<Args, Output> {
  checkIdempotentOptions(where, options)
  const keeper = keyKeeper(options.store, options, '24h')
  const waitForOther = toMilliseconds('waitForOther', options.waitForOther ?? '10s')
  const lockTtl =
    options.lockTtl === undefined ? undefined : toMilliseconds('lockTtl', options.lockTtl)
  const ascending = [waitForOther, lockTtl ?? waitForOther, keeper.retention]
  if (ascending.some((time, index) => time > (ascending[index + 1] ?? Infinity))) {
    throw new ConfigError(
      `${where}: expected waitForOther (10s by default) to be at most lockTtl, and lockTtl at most retention (24h by default); ` +
        `got ${ascending.map((time) => `${time} ms`).join(', ')}`,
    )
  }
  const chance = (): number => randomInt(1_000) / 1_000
  return { ...keeper, options, lockTtl, waitForOther, chance }
}

export function apply<Args extends readonly unknown[], T>(
  selector: ((...args: Args) => T) | Expression,
  args: Args,
): unknown {
  return isExpression(selector) ? selector.select(headerView(args[0])) : selector(...args)
}
