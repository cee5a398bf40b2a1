import { SupersededError } from '../base/errors.ts'

export function superseded(attempt: number, uniqueRequestId: string): SupersededError {
  return new SupersededError(
    `attempt ${attempt} of ${uniqueRequestId} no longer holds the claim: another attempt has taken over, or its flow has ` +
      `moved on, and nothing more is written by this one`,
  )
}
