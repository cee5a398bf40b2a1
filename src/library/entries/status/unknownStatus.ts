import type { RequestStatus } from './status.ts'

interface About {
  /** When it was sent, epoch milliseconds. */
  readonly sentAt: number | undefined
  /** How long its end is remembered, milliseconds. */
  readonly retention: number | undefined
  readonly now: number
}

/** A request that is younger than its end would be remembered has not been forgotten. */
export function unknownStatus({ sentAt, retention, now }: About): RequestStatus {
  const isYoung = sentAt !== undefined && retention !== undefined && now - sentAt < retention
  return { state: 'unknown', possible: isYoung ? ['neverSeen'] : ['neverSeen', 'forgotten'] }
}
