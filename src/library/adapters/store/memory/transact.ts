import {
  type BesideClaim,
  type Creation,
  type Failed,
  hasNoAnswer,
  type TransactOutcome,
  type Update,
  type UserWrite,
  type WriteOutcome,
} from '../../../protocol/store/store.ts'
import type { UserOutcome } from './userWrite.ts'
import { copyUserItem } from './stored.ts'
import { type OwnItems, validateOwnClaim } from './ownItems.ts'
import { type UserTables, userAddressOf } from './userTables.ts'
import {
  ConfigError,
  RetryableError,
  StoreUnavailableError,
  TerminalError,
} from '../../../base/errors.ts'
import {
  type Retryable,
  MANY_TRIES,
  type Backoff,
  sendAllUntilSettled,
  sendUntilSettled,
} from '../../../protocol/store/retries.ts'
import { isUserWrite, withoutUndefined } from '../../../protocol/store/wire/transactItem.ts'
import { addressOf, claimedKey } from '../../../protocol/store/wire/attributes.ts'

type Claim = Update | Creation
type Beside = UserWrite | Creation

/** The writes of the memory store. */
interface Writes {
  writeAll(claims: readonly Claim[]): Promise<readonly WriteOutcome[]>
  transact(claim: Claim, writes: readonly BesideClaim[]): Promise<TransactOutcome>
}

/**
 * "A PutItem, UpdateItem, or DeleteItem request for an item conflicts with an ongoing TransactWriteItems request that includes
 * the same item". So does an action of another transaction, including a condition check. Reads do not conflict.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 * @param time how long a transaction keeps its items, milliseconds
 */
export function openWrites(own: OwnItems, users: UserTables, pace: Backoff, time: number): Writes {
  const busy = new Set<string>()
  const judge = (write: Beside): UserOutcome | WriteOutcome =>
    'create' in write ? own.judge(write) : users.judge(write)

  const takeTime = async (
    claim: Claim,
    writes: readonly Beside[],
  ): Promise<TransactOutcome | Retryable> => {
    const places = [claim, ...writes].map(placeOf)
    const [ours = '', ...theirs] = places
    if (busy.has(ours)) return conflict()
    const lost = refusalOf(own.judge(claim), [])
    if (lost !== undefined) return lost
    const collided = theirs.findIndex((place) => busy.has(place))
    const met = writes[collided]
    if (met !== undefined) return conflict('create' in met ? undefined : met.TableName)
    const refusal = refusalOf(own.judge(claim), writes.map(judge))
    if (refusal !== undefined) return refusal
    // @protects two transactions on one item do not run at once
    for (const place of places) busy.add(place)
    await pace.clock.sleep(time)
    for (const place of places) busy.delete(place)
    return apply(claim, writes)
  }

  const tryTransact = async (
    claim: Claim,
    given: readonly BesideClaim[],
  ): Promise<TransactOutcome> => {
    const writes = given.flatMap((write): readonly Beside[] => {
      if ('raw' in write) return []
      return ['create' in write ? write : users.keyed(withoutUndefined(write))]
    })
    const ours = writes.filter((write) => 'create' in write)
    const wrong = [claim, ...ours].map(validateOwnClaim).find((error) => error !== undefined)
    const error = wrong ?? users.validate(writes.filter(isUserWrite))
    if (error !== undefined) return { kind: 'failed', error }
    if (writes.length < given.length) return { kind: 'failed', error: notHere() }
    return time > 0 ? sendUntilSettled(pace, () => takeTime(claim, writes)) : apply(claim, writes)
  }

  /** Applies a claim and valid writes: all or none. */
  const apply = (claim: Claim, writes: readonly Beside[]): TransactOutcome => {
    const written = writes.map(judge)
    const refusal = refusalOf(own.judge(claim), written)
    if (refusal !== undefined) return refusal
    own.write(claim)
    for (const [index, write] of writes.entries()) {
      const one = written[index]
      if ('create' in write) own.write(write)
      else if (one?.kind === 'applied') users.keep(write, one.item)
    }
    return { kind: 'applied' }
  }

  return {
    writeAll: (claims) =>
      sendAllUntilSettled(pace, claims, async (open) =>
        open.map((claim) => (busy.has(placeOf(claim)) ? conflict() : writeOne(own, claim))),
      ),
    transact: (claim, writes) => tryTransact(claim, writes).catch(failedBy),
  }
}

/** A value that cannot be stored fails only its own entry. */
function writeOne(own: OwnItems, claim: Claim): WriteOutcome {
  try {
    return own.write(claim)
  } catch (error) {
    return failedBy(error)
  }
}

function failedBy(error: unknown): Failed {
  if (error instanceof TerminalError || error instanceof RetryableError) {
    return { kind: 'failed', error }
  }
  throw error
}

/** A refused claim comes first: without the claim the refused writes do not matter. */
function refusalOf(
  claimed: WriteOutcome,
  written: readonly (UserOutcome | WriteOutcome)[],
): Exclude<TransactOutcome, { kind: 'applied' }> | undefined {
  if (hasNoAnswer(claimed)) return claimed
  if (claimed.kind === 'refused') return { ...claimed, by: 'claim' }
  const failed = written.find(hasNoAnswer)
  if (failed !== undefined) return failed
  const index = written.findIndex(({ kind }) => kind === 'refused')
  const refused = written[index]
  if (refused?.kind !== 'refused') return undefined
  return { ...refused, by: 'write', index, item: refused.item && copyUserItem(refused.item) }
}

function notHere(): ConfigError {
  return new ConfigError(
    'raw: the memory store cannot read the expressions of DynamoDB; nothing was written. Use set, add, remove ' +
      'and guard, or run this test on dynamoDbStore with a local DynamoDB.',
  )
}

function placeOf(write: Claim | UserWrite): string {
  return 'TableName' in write
    ? JSON.stringify([write.TableName, userAddressOf(write)])
    : addressOf(claimedKey(write))
}

function conflict(userTable?: string): Retryable {
  const where = userTable === undefined ? 'the framework’s table' : `the table ${userTable}`
  const error = new StoreUnavailableError(`Other transactions kept an item of ${where} busy.`, {
    reason: 'busy',
    userTable,
  })
  return { kind: 'retryable', error, tries: MANY_TRIES }
}
