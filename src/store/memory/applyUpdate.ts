import { TerminalError } from '../../base/errors.ts'
import { holds } from '../condition.ts'
import type { Item, Update, WriteOutcome } from '../store.ts'
import { attribute } from '../value.ts'
import { validateOwnUpdate } from './validateOwn.ts'
import { asStoredItem } from './stored.ts'

/**
 * Applies `update` to `item`. A missing item is refused whatever `where` says, because an update never creates one.
 * @throws TerminalError naming a value that cannot be stored.
 */
export function applyUpdate(item: Item | undefined, update: Update): WriteOutcome {
  const invalid = validateOwnUpdate(update)
  if (invalid !== undefined) return { kind: 'failed', error: invalid }
  if (item === undefined || !update.where.every((condition) => holds(condition, item))) {
    return { kind: 'refused', item }
  }
  const grown = grow(item, update.addTo)
  if (grown instanceof Error) return { kind: 'failed', error: grown }
  const removed = new Set(update.remove)
  const kept = Object.entries(item).filter(([name]) => !removed.has(name))
  const after = asStoredItem({ ...Object.fromEntries(kept), ...update.set, ...grown })
  return after instanceof Error
    ? { kind: 'failed', error: after }
    : { kind: 'applied', item: after }
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
