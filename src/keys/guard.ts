import { randomInt } from 'node:crypto'
import { toMilliseconds } from '../duration.ts'
import { ConfigError } from '../errors.ts'
import { type Classified, classifyError } from './classify.ts'
import type { Expression } from './expression.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'
import { type KeyKeeper, keyKeeper } from './keeper.ts'
import { checkScope } from './scope.ts'

type Select = ((...args: readonly never[]) => unknown) | Expression

/** The options of an idempotent function, checked and complete. Nothing in it belongs to a single call. */
export interface Guard extends KeyKeeper {
  readonly key: Select | undefined
  readonly hash: 'sha256' | 'plain'
  readonly scope: string | undefined
  readonly tenant: Select | 'none' | undefined
  readonly lockTtl: number | undefined
  readonly waitForOther: number
  readonly validResponse: Select | undefined
  readonly payload: Select | 'ignore' | undefined
  readonly classify: (error: unknown) => Classified
  readonly markReplay: boolean
  readonly onReplay: Select | undefined
  readonly when: Select | undefined
  /** 0 to 1: callers that wait for one key must not look at the same time. */
  readonly chance: () => number
}
