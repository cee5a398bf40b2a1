import { DROPPED } from '../../../src/library/protocol/claim/token/token.ts'
import { hasExpired } from '../../../src/library/base/limits/lifetime.ts'
import type { Item, Update } from '../../../src/library/protocol/store/store.ts'
import type {
  SimulatedMessage,
  SimulatedQueue,
} from '../../../src/testing/queues/simulatedQueue.ts'
import { type Simulation } from '../../../src/testing/crashes/simulation/simulation.ts'
import { violate } from './violation.ts'

export interface Facts {
  readonly maxAttempts: number
  /** Executions of a request that no claim counts, and that may begin when it has ended: one for each first delivery. */
  readonly unclaimed: number
  tokenOf(uniqueRequestId: string): Item | undefined
  tokenAt(pk: string): Item | undefined
  readonly queue: SimulatedQueue
  readonly deadLetters: SimulatedQueue
}

export interface Watch {
  /** A token changed: by a claim, or by `update`, a write of an attempt. `now` is the writer's. */
  changed(update: Update | undefined, before: Item | undefined, after: Item, now: number): void
  /** An item of the user's changed together with the check of this claim. */
  wrote(claim: Update): void
  ran(uniqueRequestId: string): void
  sent(name: string, uniqueRequestId: string | undefined): void
  called(name: string, key: string): void
  acknowledged(message: SimulatedMessage): void
  executions(uniqueRequestId: string): number
  digest(): string
}

/** Executions of one request, how many of them a table or queue did not answer, and how often an operator redrove it. */
interface Runs {
  executions: number
  givenBack: number
  lives: number
}

/** Checks each step against the promises of the design; the first that is broken ends the schedule. */
export function openWatch(simulation: Simulation, facts: Facts): Watch {
  const runs = new Map<string, Runs>()
  const ids = new Map<string, Set<string>>()
  const runsOf = (id: string): Runs => {
    const found = runs.get(id) ?? { executions: 0, givenBack: 0, lives: 1 }
    runs.set(id, found)
    return found
  }
  const oneNameOnly = (what: string, name: string): void => {
    const names = (ids.get(what) ?? new Set()).add(name)
    ids.set(what, names)
    if (names.size > 1) violate(simulation, `${what} went out under two ids`)
  }
  return {
    changed(update, before, after, now) {
      const claims = before?.['attemptId'] !== after['attemptId']
      if (!claims) {
        judgeWriter(simulation, update, before)
        if (isGivenBack(update)) runsOf(idOf(after)).givenBack += 1
      } else if (
        before !== undefined &&
        judgeClaim(simulation, before, after, now) === 'a new life'
      ) {
        runsOf(idOf(before)).lives += 1
      }
    },
    wrote(claim) {
      const token = facts.tokenAt(claim.key.pk)
      const runs = token?.['status'] === 'inProgress' || token?.['status'] === 'ending'
      if (token?.['attemptId'] === writerOf(claim) && runs) return
      violate(simulation, "an attempt that no longer held the claim wrote the user's item")
    },
    ran(id) {
      const request = runsOf(id)
      request.executions += 1
      const most = facts.maxAttempts * request.lives + request.givenBack + facts.unclaimed
      if (request.executions > most) {
        violate(simulation, `the handler ran ${request.executions} times, ${most} are allowed`)
      }
      const token = facts.tokenOf(id)
      const isKnown = isComplete(token) && facts.unclaimed === 0
      if (isKnown) violate(simulation, 'a completed request ran again')
    },
    sent: (body, id) => oneNameOnly(`the message ${body}`, String(id)),
    called: (name, key) => oneNameOnly(`the call '${name}'`, key),
    acknowledged(message) {
      if (isDurable(message, facts)) return
      violate(simulation, `message ${message.id} was acknowledged, and its end is nowhere`)
    },
    executions: (id) => runsOf(id).executions,
    digest: () => {
      const counts = [...runs].map(([id, each]) => `${id}:${Object.values(each).join('/')}`)
      return [...counts, ...[...ids].map(([what, names]) => `${what}:${[...names].join()}`)].join(
        ';',
      )
    },
  }
}

function judgeClaim(
  simulation: Simulation,
  before: Item,
  after: Item,
  now: number,
): 'a new life' | 'the same life' {
  if (isComplete(before) && !hasExpired(before['ttl'], now))
    violate(simulation, 'a completed request was claimed again')
  const { leaseUntil, status } = before
  if (Number(after['fence']) <= Number(before['fence']))
    violate(simulation, 'the fence did not grow')
  if (typeof leaseUntil === 'number' && leaseUntil > now) {
    violate(simulation, 'the claim changed hands while its lease was live')
  }
  const isRedriven = status === 'ending' && after['status'] === 'inProgress'
  const isOver = status === undefined || status === 'error' || status === 'unknown' || isRedriven
  return isOver ? 'a new life' : 'the same life'
}

/** The fence: after the claim, only the attempt that holds it may write. */
function judgeWriter(
  simulation: Simulation,
  update: Update | undefined,
  before: Item | undefined,
): void {
  const writer = update && writerOf(update)
  if (writer !== undefined && before?.['attemptId'] !== writer) {
    violate(simulation, 'an attempt that no longer held the claim wrote the token')
  }
}

/** Will be retried, and does not count. */
function isGivenBack(update: Update | undefined): boolean {
  return update?.set?.['notBefore'] !== undefined && update.set['attempt'] !== undefined
}

/** The claim that a write depends on, also when a removed protection changes its condition. */
function writerOf(update: Update): string | undefined {
  for (const condition of update.where) {
    if ('is' in condition && condition.field === 'attemptId') return String(condition.value)
  }
  return undefined
}

export function isComplete(token: Item | undefined): boolean {
  return token !== undefined && token['status'] === undefined
}

function idOf(token: Item): string {
  const { pk } = token
  return typeof pk === 'string' ? pk.replace(/^[^/]*\//, '') : ''
}

/** Ended by record, dead-lettered, or another copy that a consumer made is on the queue. */
function isDurable(message: SimulatedMessage, { queue, deadLetters, tokenOf }: Facts): boolean {
  const id = message.uniqueRequestId
  const token = id === undefined ? undefined : tokenOf(id)
  if (isComplete(token) || (token?.['status'] === 'error' && token['final'] === true)) return true
  // Dropped, and reported: its dead letter was used up by that.
  if (token?.['final'] === DROPPED && token['status'] === 'error' && token['untold'] === undefined)
    return true
  const isSame = (other: SimulatedMessage): boolean =>
    other.uniqueRequestId === id && other !== message
  return (
    deadLetters.messages.some(isSame) ||
    queue.messages.some((other) => isSame(other) && isOurs(other))
  )
}

/** Put there by the consumer, or by an operator: its receiver continues the request. */
function isOurs({ resendNumber, death }: SimulatedMessage): boolean {
  return resendNumber > 0 || death > 0
}
