import type { Facts, TokenFacts } from './facts.ts'
import type { StageFacts } from './factParts.ts'
import { splitId } from '../../../sweeper/address.ts'

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
