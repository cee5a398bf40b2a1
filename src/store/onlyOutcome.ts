import { StoreUnavailableError } from '../base/errors.ts'

interface Failed {
  readonly kind: 'failed'
  readonly error: Error
}

/** The outcome of a store call with one entry. */
export function onlyOutcome<O extends { readonly kind: string }>(
  outcomes: readonly O[],
): O | Failed {
  return (
    outcomes[0] ?? { kind: 'failed', error: new StoreUnavailableError('the store gave no outcome') }
  )
}

/**
 * As `onlyOutcome`, but a failure is thrown.
 * @throws the error of a failed entry
 */
export function outcomeOrThrow<O extends { readonly kind: string }>(
  outcomes: readonly (O | Failed)[],
): Exclude<O, Failed> {
  const outcome = onlyOutcome(outcomes)
  if (isFailed(outcome)) throw outcome.error
  return outcome as Exclude<O, Failed>
}

function isFailed(outcome: { readonly kind: string }): outcome is Failed {
  return outcome.kind === 'failed'
}
