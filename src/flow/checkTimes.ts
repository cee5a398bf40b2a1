import { type Duration, toMilliseconds } from '../duration.ts'
import { ConfigError } from '../errors.ts'

interface Times {
  readonly giveUpAfter: number
  readonly awaits: Readonly<
    Record<string, { readonly timeout?: Duration; readonly grace?: Duration }>
  >
}

/** Checks the times when the flow is defined. Otherwise the first request that uses one would fail. */
export function checkTimes(who: string, { giveUpAfter, awaits }: Times): void {
  if (giveUpAfter === 0) {
    throw new ConfigError(`${who}: giveUpAfter: expected more than 0; no request could ever run`)
  }
  for (const [name, { timeout = 0, grace = 0 }] of Object.entries(awaits)) {
    toMilliseconds(`${who}: awaits.${name}.timeout`, timeout)
    toMilliseconds(`${who}: awaits.${name}.grace`, grace)
  }
}
