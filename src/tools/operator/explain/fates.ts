import { decideClaim, type TokenVerdict } from '../../../claim/token/decideClaim.ts'
import type { Token } from '../../../claim/token/token.ts'
import { isIdempotencyKey, splitId } from '../../../sweeper/address.ts'
import { formatRelative } from '../text/humanTime.ts'
import type { Fate, StageFacts } from './factParts.ts'
import type { Facts, TokenFacts } from './facts.ts'

/** What the next delivery would do, or of a key the next call: decided by the claim's own rule. */
export function fateOfToken(token: Token, now: number): Fate {
  const verdict = decideClaim(token, ANY_COPY, now)
  return isIdempotencyKey(token.pk)
    ? fateOfCall(verdict, now)
    : fateOfCopy(verdict, token.attempt, now)
}

function fateOfCall(verdict: TokenVerdict, now: number): Fate {
  switch (verdict.kind) {
    case 'over':
      return verdict.as === 'alreadyDeadLettered'
        ? fate(
            'refused',
            'refused (HTTP 500) until an operator resolves or releases the key; nothing runs',
          )
        : fate('answered', 'gets the stored outcome; nothing runs')
    case 'held':
      return deferred(
        'waits for the running call, then gets its outcome; HTTP 409 if that takes too long. The lease ends',
        verdict.until,
        now,
      )
    case 'start':
      return fate('runs', 'runs: the retention of the earlier outcome has ended')
    case 'takeOver':
      return fate('runs', 'runs the whole section: the lease of the earlier call has ended')
    default:
      return fate('deferred', verdict.kind)
  }
}

function fateOfCopy(verdict: TokenVerdict, attempt: number, now: number): Fate {
  switch (verdict.kind) {
    case 'over':
      return fate('dropped', DROPPED[verdict.as])
    case 'held':
      return deferred('deferred until the lease of the running attempt ends,', verdict.until, now)
    case 'early':
      return deferred('deferred until the next attempt is due,', verdict.until, now)
    case 'replaced':
      return fate('dropped', 'dropped: a newer resend of it is confirmed to be on the queue')
    case 'start':
      return fate('runs', 'runs as a new request: the retention of the earlier end has ended')
    case 'takeOver':
      return fate(
        'runs',
        `runs, as attempt ${attempt + 1}, unless the retry budget or time limit is exhausted`,
      )
    case 'deadLetter':
      return fate('deadLettered', 'does not run: its dead letter is sent')
    default:
      return fate('deferred', verdict.kind)
  }
}

export const DROPPED = {
  duplicate: 'dropped as a duplicate: the request is done',
  undone: 'dropped as undone: its effects are undone, or are being undone',
  alreadyDeadLettered:
    'dropped: the request was dead-lettered or parked, and waits for an operator',
} as const

/** @param text is followed by the time */
function deferred(text: string, until: number, now: number): Fate {
  return fate('deferred', `${text} ${formatRelative(until, now)}`, until)
}

export function fate(kind: Fate['kind'], text: string, until?: number): Fate {
  return { kind, text, until, request: undefined, stage: undefined }
}

const ANY_COPY = {
  pk: '',
  attemptId: '',
  lockedBy: '',
  leaseUntil: 0,
  expectedCompletion: 0,
  maxAttempts: Infinity,
  payloadHash: undefined,
  trustsUnhashed: true,
  retry: 0,
  death: undefined,
  deadLetter: false,
  refused: false,
}

/** What the table says of the last attempt in a lane. */
export interface Standing {
  readonly lane: string
  readonly request: string
  readonly attempt: number | undefined
  readonly beganAt: number | undefined
  /**
   * `running`. `lost`: its lease has ended. `retry`: it failed, and the next attempt is due at `until`. `ended`: it has ended, as
   * `outcome` says.
   */
  readonly state: 'running' | 'lost' | 'retry' | 'ended'
  readonly outcome: 'succeeded' | 'dead' | 'unknown' | undefined
  /** End of its lease, or when the next attempt may begin. */
  readonly until: number | undefined
}

export function standingsOf(facts: readonly Facts[]): readonly Standing[] {
  return facts.flatMap((each): readonly Standing[] => {
    switch (each.kind) {
      case 'request':
      case 'key':
      case 'undo':
        return [standingOfToken(each)]
      case 'flow':
        return (each.run?.stages ?? []).flatMap((stage) =>
          standingOfStage(each.of, each.run?.request ?? '', stage),
        )
      case 'deadRun':
        return each.stages.flatMap((stage) => standingOfStage(each.of, each.request, stage))
      default:
        return []
    }
  })
}

/** The log names the scope of a key, and the table also its tenant. */
export function laneOf(owner: string): string {
  const [scope = ''] = owner.split('@')
  try {
    return decodeURIComponent(scope)
  } catch {
    return scope
  }
}

function standingOfToken(token: TokenFacts): Standing {
  const { attempt, status, leaseUntil, notBefore, claimedAt, pk, of } = token
  const common = {
    lane: laneOf(of),
    request: splitId(pk).rest,
    attempt: attempt === 0 ? undefined : attempt,
    beganAt: claimedAt,
    outcome: undefined,
  }
  switch (status) {
    case 'running':
    case 'lost':
      return { ...common, state: status, until: leaseUntil }
    case 'waiting':
    case 'overdue':
      return { ...common, state: 'retry', until: notBefore }
    case 'unknown':
      return { ...common, state: 'ended', outcome: 'unknown', until: undefined }
    case 'done':
      return { ...common, state: 'ended', outcome: 'succeeded', until: undefined }
    case 'free':
      return { ...common, state: 'ended', until: undefined }
    case 'dying':
    case 'error':
    case 'undoing':
    case 'undone':
      return { ...common, state: 'ended', outcome: 'dead', until: undefined }
  }
}

function standingOfStage(
  flow: string,
  request: string,
  { name, status, attempt, beganAt, leaseUntil, due }: StageFacts,
): readonly Standing[] {
  const common = { lane: `${flow}.${name}`, request, attempt, beganAt, outcome: undefined }
  switch (status) {
    case 'coming':
      return []
    case 'running':
    case 'lost':
      return [{ ...common, state: status, until: leaseUntil }]
    case 'waiting':
      return [{ ...common, state: 'retry', until: due }]
    case 'done':
      return [{ ...common, state: 'ended', outcome: 'succeeded', until: undefined }]
    case 'dying':
    case 'dead':
      return [{ ...common, state: 'ended', outcome: 'dead', until: undefined }]
  }
}
