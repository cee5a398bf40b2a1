import * as DYNAMODB from '../../../base/limits/dynamodb.ts'
import { hasExpired } from '../../../base/limits/lifetime.ts'
import {
  validateKey,
  validateUpdate,
  orTerminalError,
  invalidWrite,
} from '../../../protocol/store/validateWrite.ts'
import {
  hasNoAnswer,
  type Creation,
  type Item,
  type StoreKey,
  type ReadOutcome,
  type Update,
  type WriteOutcome,
  type DueKey,
  type DueOutcome,
  type DueQuery,
} from '../../../protocol/store/store.ts'
import { addressOf, claimedKey, toAttributeMap } from '../../../protocol/store/wire/attributes.ts'
import { copyItem, asStoredItem, keptOf, outcomeOf } from './stored.ts'
import { type TableKeys, wrongIndexKeys } from '../../../base/limits/wrongAction.ts'
import { TerminalError } from '../../../base/errors.ts'
import { wrongItem } from '../../../base/limits/wireValue.ts'
import { holds } from '../../../protocol/store/condition.ts'
import { IS_OF_OUR_FORMAT, seen } from '../../../protocol/store/format.ts'
import { attribute } from '../../../protocol/store/value.ts'

/** The framework's own table. */
export interface OwnItems {
  write(claim: Update | Creation): WriteOutcome
  read(key: StoreKey): ReadOutcome
  /** The outcome that `write` would have. */
  judge(claim: Update | Creation): WriteOutcome
  /** All items, in the order of creation. */
  all(): readonly Item[]
}

/** @param now the time at which items are deleted that have expired, epoch milliseconds. undefined: they stay */
export function openOwnItems(now?: () => number): OwnItems {
  const items = new Map<string, Item>()
  const forget = (): void => {
    if (now === undefined) return
    for (const [address, { ttl }] of items) if (hasExpired(ttl, now())) items.delete(address)
  }
  const stored = (key: StoreKey): Item | undefined => {
    const item = items.get(addressOf(key))
    return item && copyItem(item)
  }
  const judgeCreation = (given: Item & StoreKey): WriteOutcome => {
    const wrong = validateOwnItem(given)
    const standing = wrong === undefined ? stored(given) : undefined
    if (standing !== undefined) return seen('refused', standing)
    return outcomeOf(wrong ?? asStoredItem(given))
  }
  const judge = (claim: Update | Creation): WriteOutcome => {
    forget()
    return 'create' in claim
      ? judgeCreation(claim.create)
      : applyUpdate(items.get(addressOf(claim.key)), claim)
  }
  const write = (claim: Update | Creation): WriteOutcome => {
    const key = claimedKey(claim)
    const outcome = judge(claim)
    if (hasNoAnswer(outcome)) return outcome
    if (outcome.kind === 'applied' && outcome.item !== undefined) {
      items.set(addressOf(key), outcome.item)
    }
    const isNeeded = outcome.kind === 'refused' || 'create' in claim || !claim.needsNoItem
    return { kind: outcome.kind, item: isNeeded ? stored(key) : undefined }
  }
  return {
    judge,
    write,
    read(key) {
      forget()
      const error = validateKey(key)
      return error === undefined ? seen('found', stored(key)) : { kind: 'failed', error }
    },
    all: () => {
      forget()
      return [...items.values()].map(copyItem)
    },
  }
}

/** The keys of the framework's table, as in `tableDefinition()`. */
const OWN_KEYS: TableKeys = {
  key: [
    { name: 'pk', type: 'S', bytes: DYNAMODB.partitionKeyBytes },
    { name: 'sk', type: 'S', bytes: DYNAMODB.sortKeyBytes },
  ],
  indexKeys: [
    { name: 'statusShard', type: 'S', bytes: DYNAMODB.partitionKeyBytes },
    { name: 'dueAt', type: 'N', bytes: DYNAMODB.sortKeyBytes },
  ],
}

/** Checks what DynamoDB refuses before it looks at the item. */
function validateOwnItem(item: Item & StoreKey): TerminalError | undefined {
  return validateKey(item) ?? validateOwnValues(item)
}

function validateOwnUpdate(update: Update): TerminalError | undefined {
  return validateUpdate(update) ?? validateOwnValues(update.set ?? {})
}

export function validateOwnClaim(claim: Update | Creation): TerminalError | undefined {
  return 'create' in claim ? validateOwnItem(claim.create) : validateOwnUpdate(claim)
}

function validateOwnValues(item: Item): TerminalError | undefined {
  return orTerminalError(() => {
    const attributes = toAttributeMap(item)
    return invalidWrite(wrongIndexKeys(OWN_KEYS, attributes) ?? wrongItem(attributes))
  })
}

/**
 * Applies `update` to `item`. A missing item is refused whatever `where` says, because an update never creates one.
 * @throws TerminalError naming a value that cannot be stored.
 */
export function applyUpdate(item: Item | undefined, update: Update): WriteOutcome {
  const invalid = validateOwnUpdate(update)
  if (invalid !== undefined) return { kind: 'failed', error: invalid }
  // @protects the memory store changes no item of another format
  // @without update.where @tests test/proof/formats
  const where = [IS_OF_OUR_FORMAT, ...update.where]
  // @protects an update never creates an item
  // @without item !== undefined && !where.every((condition) => holds(condition, item))
  if (item === undefined || !where.every((condition) => holds(condition, item))) {
    return seen('refused', item)
  }
  const grown = grow(item, update.addTo)
  if (grown instanceof Error) return { kind: 'failed', error: grown }
  return outcomeOf(asStoredItem({ ...keptOf(item, update.remove), ...update.set, ...grown }))
}

function grow(item: Item, addTo: Update['addTo']): Item | TerminalError {
  if (addTo === undefined) return {}
  const { field, member } = addTo
  const members = attribute(item, field) ?? new Set<string>()
  if (!(members instanceof Set)) {
    return new TerminalError(`Attribute ${JSON.stringify(field)} is no set: nothing can be added.`)
  }
  return { [field]: new Set<string>([...members, member]) }
}

/** Lists items in the order of the index: by time, and items of the same time by their keys. */
export function due(
  items: readonly Item[],
  { statusShard, from = 0, until, most, after }: DueQuery,
): DueOutcome {
  const listed = items
    .filter((item) => item['statusShard'] === statusShard)
    .flatMap(asListed)
    .filter(({ dueAt }) => dueAt >= from && dueAt <= until)
    .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    .filter((each) => after === undefined || placeOf(each) > after)
  const page = listed.slice(0, most)
  const last = page.at(-1)
  const next = last === undefined || listed.length === page.length ? undefined : placeOf(last)
  return { kind: 'found', keys: page, next }
}

function asListed({ pk, sk, dueAt }: Item): DueKey[] {
  const isListed = typeof pk === 'string' && typeof sk === 'string' && typeof dueAt === 'number'
  return isListed ? [{ pk, sk, dueAt }] : []
}

const DIGITS = 16

function placeOf({ pk, sk, dueAt }: DueKey): string {
  return `${String(dueAt).padStart(DIGITS, '0')} ${pk} ${sk}`
}
