import type { Item, Update } from '../../src/store/store.ts'
import type { Letter, Queue } from './sqs.ts'
import { type Actor, violate, type World } from './world.ts'

/** What was seen of one request, against the promises. */
interface Seen {
  executions: number
  lives: number
}

export interface Facts {
  readonly maxAttempts: number
  tokenOf(uniqueRequestId: string): Item | undefined
  readonly queue: Queue
  readonly deadLetters: Queue
}

export interface Watch {
  /** A token changed, by a claim (`update` undefined: created) or by a write of an attempt. */
  changed(
    actor: Actor,
    update: Update | undefined,
    before: Item | undefined,
    after: Item | undefined,
  ): void
  /** An item of the user's changed together with the check of this claim. */
  wrote(actor: Actor, claim: Update): void
  ran(actor: Actor, uniqueRequestId: string): void
  sent(name: string, uniqueRequestId: string | undefined): void
  called(name: string, key: string): void
  acknowledged(letter: Letter): void
  digest(): unknown
}

/** Checks each step against the promises of section 2 of the design; the first that is broken ends the schedule. */
export function openWatch(world: World, facts: Facts): Watch {
  const seen = new Map<string, Seen>()
  const ids = new Map<string, Set<string>>()
  const of = (id: string): Seen => {
    const found = seen.get(id) ?? { executions: 0, lives: 1 }
    seen.set(id, found)
    return found
  }
  const oneOnly = (what: string, name: string, value: string): void => {
    const values = (ids.get(`${what} ${name}`) ?? new Set()).add(value)
    ids.set(`${what} ${name}`, values)
    if (values.size > 1) violate(world, `${what} '${name}' went out under two names`)
  }
  return {
    changed(_actor, update, before, after) {
      const claims = before?.['attemptId'] !== after?.['attemptId']
      if (claims) judgeClaim(world, before, after, of)
      else if (update !== undefined) judgeWriter(world, update, before)
    },
    wrote(_actor, claim) {
      const writer = writerOf(claim)
      const token = facts.tokenOf(claim.key.pk)
      if (token?.['attemptId'] !== writer || token?.['status'] !== 'inProgress') {
        violate(world, "an attempt that no longer held the claim wrote the user's item")
      }
    },
    ran(_actor, id) {
      const request = of(id)
      request.executions += 1
      const most = facts.maxAttempts * request.lives
      if (request.executions > most) {
        violate(world, `the handler ran ${request.executions} times, ${most} are allowed`)
      }
      if (isComplete(facts.tokenOf(id))) violate(world, 'a completed request ran again')
    },
    sent: (name, id) => oneOnly('message', name, String(id)),
    called: (name, key) => oneOnly('call', name, key),
    acknowledged(letter) {
      if (!isDurable(letter, facts)) {
        violate(world, `message ${letter.id} was acknowledged, and its end is nowhere`)
      }
    },
    digest: () => [[...seen], [...ids].map(([what, values]) => [what, [...values]])],
  }
}

function judgeClaim(
  world: World,
  before: Item | undefined,
  after: Item | undefined,
  of: (id: string) => Seen,
): void {
  if (before === undefined || after === undefined) return
  if (isComplete(before)) violate(world, 'a completed request was claimed again')
  const lease = before['leaseUntil']
  if (typeof lease === 'number' && lease > world.now) {
    violate(world, 'the claim changed hands while its lease was live')
  }
  if (before['status'] === 'error' || before['status'] === 'unknown') {
    of(String(before['pk']).split('/')[1] ?? '').lives += 1
  }
}

/** The fence: after the claim, only the attempt that holds it may write. */
function judgeWriter(world: World, update: Update, before: Item | undefined): void {
  const writer = writerOf(update)
  if (writer !== undefined && before?.['attemptId'] !== writer) {
    violate(world, 'an attempt that no longer held the claim wrote the token')
  }
}

/** Whose claim a write rests on, whatever a removed protection makes of the condition. */
function writerOf(update: Update): string | undefined {
  for (const condition of update.where) {
    if ('field' in condition && condition.field === 'attemptId' && 'value' in condition) {
      return String(condition.value)
    }
  }
  return undefined
}

export function isComplete(token: Item | undefined): boolean {
  return token !== undefined && token['status'] === undefined
}

/** Ended by record, dead-lettered, or a newer copy is on the queue. */
function isDurable(letter: Letter, { queue, deadLetters, tokenOf }: Facts): boolean {
  const id = letter.uniqueRequestId ?? letter.id
  if (isComplete(tokenOf(id))) return true
  const same = (other: Letter): boolean => (other.uniqueRequestId ?? other.id) === id
  return (
    deadLetters.letters.some(same) ||
    queue.letters.some(
      (other) =>
        same(other) &&
        (other.death > letter.death ||
          (other.death === letter.death && other.retry > letter.retry)),
    )
  )
}
