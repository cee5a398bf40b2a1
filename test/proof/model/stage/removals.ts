import type { Condition, Update } from '../../../../src/library/protocol/store/store.ts'
import type { Op } from './op.ts'
import { type Protocol, type Recipe, shipped } from './protocol.ts'

/** One part of the protocol taken away. */
export type Removal = (protocol: Protocol) => Protocol

/** Other functions in place of the shipped ones. */
export function replacing(parts: Partial<Protocol>): Removal {
  return (protocol) => ({ ...protocol, ...parts })
}

export function following(parts: Partial<Recipe>): Removal {
  return (protocol) => ({ ...protocol, recipe: { ...protocol.recipe, ...parts } })
}

/** Writes of these labels go out as `change` makes them. */
export function rewriting(labels: RegExp, change: (update: Update) => Update): Removal {
  const rewrite = (op: Op): Op =>
    'update' in op && labels.test(labelOf(op)) ? { ...op, update: change(op.update) } : op
  return (protocol) => ({ ...protocol, rewrite: (op) => rewrite(protocol.rewrite(op)) })
}

function labelOf(op: Extract<Op, { readonly update: Update }>): string {
  return op.op === 'update' ? op.label : op.op
}

/** Without the conditions on the fields of these names. */
export function dropping(labels: RegExp, fields: RegExp): Removal {
  const isKept = (condition: Condition): boolean =>
    !fieldsOf(condition).some((name) => fields.test(name))
  return rewriting(labels, (update) => ({ ...update, where: update.where.filter(isKept) }))
}

/** Without setting or removing the fields of these names. */
export function leaving(labels: RegExp, fields: RegExp): Removal {
  return rewriting(labels, (update) => {
    const set = Object.entries(update.set ?? {}).filter(([name]) => !fields.test(name))
    const remove = (update.remove ?? []).filter((name) => !fields.test(name))
    return { ...update, set: Object.fromEntries(set), remove }
  })
}

export function both(one: Removal, other: Removal): Removal {
  return (protocol) => other(one(protocol))
}

function fieldsOf(condition: Condition): string[] {
  if ('all' in condition) return condition.all.flatMap(fieldsOf)
  if ('any' in condition) return condition.any.flatMap(fieldsOf)
  if ('exists' in condition) return [condition.exists]
  return 'absent' in condition ? [condition.absent] : [condition.field]
}

export { shipped }
