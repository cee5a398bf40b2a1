import type {
  Creation,
  TransactOutcome,
  Update,
  UserWrite,
  WriteOutcome,
  StoreKey,
  RawWrite,
} from '../store.ts'
import type { UserOutcome } from './userWrite.ts'
import { copyUserItem } from './stored.ts'
import { type OwnItems, validateOwnClaim } from './ownItems.ts'
import { type UserTables, userAddressOf } from './userTables.ts'
import { ConfigError, StoreUnavailableError } from '../../base/errors.ts'
import {
  type Retryable,
  MANY_TRIES,
  type Backoff,
  sendAllUntilSettled,
  sendUntilSettled,
} from '../retries.ts'
import { isUserWrite } from '../wire/transactItem.ts'
import { addressOf as ownAddressOf, claimedKey } from '../wire/attributes.ts'

/** Applies a claim and valid writes: all or none. */
function transact(
  own: OwnItems,
  users: UserTables,
  claim: Update | Creation,
  writes: readonly UserWrite[],
): TransactOutcome {
  const written = writes.map(users.judge)
  const refusal = refusalOf(own.judge(claim), written)
  if (refusal !== undefined) return refusal
  own.write(claim)
  for (const [index, write] of writes.entries()) {
    const one = written[index]
    if (one?.kind === 'applied') users.keep(write, one.item)
  }
  return { kind: 'applied' }
}

/** A refused claim comes first: without the claim the refused writes do not matter. */
function refusalOf(
  claimed: WriteOutcome,
  written: readonly UserOutcome[],
): Exclude<TransactOutcome, { kind: 'applied' }> | undefined {
  if (claimed.kind === 'failed') return claimed
  if (claimed.kind === 'refused') return { ...claimed, by: 'claim' }
  const failed = written.find(({ kind }) => kind === 'failed')
  if (failed?.kind === 'failed') return failed
  const index = written.findIndex(({ kind }) => kind === 'refused')
  const refused = written[index]
  if (refused?.kind !== 'refused') return undefined
  return { ...refused, by: 'write', index, item: refused.item && copyUserItem(refused.item) }
}

/**
 * "A PutItem, UpdateItem, or DeleteItem request for an item conflicts with an ongoing TransactWriteItems request that includes
 * the same item". So does an action of another transaction, including a condition check. Reads do not conflict.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
interface Conflicts {
  writeAll<E>(
    entries: readonly E[],
    keyOf: (entry: E) => StoreKey,
    write: (entry: E) => WriteOutcome,
  ): Promise<readonly WriteOutcome[]>
  transact(
    claim: Update | Creation,
    writes: readonly (UserWrite | RawWrite)[],
  ): Promise<TransactOutcome>
}

/** @param time how long a transaction keeps its items, milliseconds */
export function openConflicts(
  own: OwnItems,
  users: UserTables,
  pace: Backoff,
  time: number,
): Conflicts {
  const busy = new Set<string>()

  const takeTime = async (
    claim: Update | Creation,
    writes: readonly UserWrite[],
  ): Promise<TransactOutcome | Retryable> => {
    const places = [ownAddressOf(claimedKey(claim)), ...writes.map(userPlace)]
    const [ours = '', ...theirs] = places
    if (busy.has(ours)) return conflict()
    const lost = refusalOf(own.judge(claim), [])
    if (lost !== undefined) return lost
    const collided = theirs.findIndex((place) => busy.has(place))
    if (collided >= 0) return conflict(writes[collided]?.TableName)
    const refusal = refusalOf(own.judge(claim), writes.map(users.judge))
    if (refusal !== undefined) return refusal
    for (const place of places) busy.add(place)
    await pace.clock.sleep(time)
    for (const place of places) busy.delete(place)
    return transact(own, users, claim, writes)
  }

  return {
    writeAll: (entries, keyOf, write) =>
      sendAllUntilSettled(pace, entries, async (open) =>
        open.map((entry) => (busy.has(ownAddressOf(keyOf(entry))) ? conflict() : write(entry))),
      ),
    async transact(claim, given) {
      const writes = given.filter(isUserWrite).map(users.keyed)
      const error = validateOwnClaim(claim) ?? users.validate(writes)
      if (error !== undefined) return { kind: 'failed', error }
      if (writes.length < given.length) return { kind: 'failed', error: notHere() }
      return time > 0
        ? sendUntilSettled(pace, () => takeTime(claim, writes))
        : transact(own, users, claim, writes)
    },
  }
}

function notHere(): ConfigError {
  return new ConfigError(
    'raw: the memory store cannot read the expressions of DynamoDB; nothing was written. Use set, add, remove ' +
      'and guard, or run this test on dynamoDbStore with a local DynamoDB.',
  )
}

function userPlace(write: UserWrite): string {
  return JSON.stringify([write.TableName, userAddressOf(write)])
}

function conflict(userTable?: string): Retryable {
  const where = userTable === undefined ? 'the framework’s table' : `the table ${userTable}`
  const error = new StoreUnavailableError(`Other transactions kept an item of ${where} busy.`, {
    reason: 'busy',
    userTable,
  })
  return { kind: 'retryable', error, tries: MANY_TRIES }
}
