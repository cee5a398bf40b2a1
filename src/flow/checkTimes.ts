import { toMilliseconds } from '../base/options.ts'
import { ConfigError } from '../base/errors.ts'
import type { AwaitOptions } from './options.ts'

interface Times {
  readonly giveUpAfter: number
  readonly awaits: Readonly<Record<string, Pick<AwaitOptions, 'timeout' | 'grace' | 'queueUrl'>>>
}

/** Checks the times when the flow is defined. Otherwise the first request that uses one would fail. */
export function checkTimes(who: string, { giveUpAfter, awaits }: Times): void {
  if (giveUpAfter === 0) {
    throw new ConfigError(`${who}: giveUpAfter: expected more than 0; no request could ever run`)
  }
  for (const [name, { timeout, grace = 0, queueUrl }] of Object.entries(awaits)) {
    toMilliseconds(`${who}: awaits.${name}.timeout`, timeout ?? 0)
    toMilliseconds(`${who}: awaits.${name}.grace`, grace)
    if (timeout === undefined || queueUrl !== undefined) continue
    throw new ConfigError(
      `${who}: awaits.${name}.queueUrl: expected the URL of the queue where its answers arrive, because the reminder of ` +
        `awaits.${name}.timeout goes there; got nothing`,
    )
  }
}

/** A run that lasts longer than messages are run would lose what belongs to it. */
export function checkGiveUp(
  who: string,
  { giveUpAfter, retention }: { readonly giveUpAfter: number; readonly retention: number },
): void {
  if (giveUpAfter <= retention) return
  throw new ConfigError(
    `${who}: giveUpAfter: expected at most retention (30 days by default), because nothing older than that is run; got ` +
      `${giveUpAfter / 1_000} s, and retention is ${retention / 1_000} s. Raise retention, or give a shorter giveUpAfter`,
  )
}
