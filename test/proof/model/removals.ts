import type {
  Condition,
  Item,
  BesideClaim,
  Store,
  Update,
  UserCondition,
} from '../../../src/library/protocol/store/store.ts'
import { isUserWrite } from '../../../src/library/protocol/store/wire/transactItem.ts'
import { inWords } from './words.ts'

type Wrap = (base: Store) => Store
type Which = (update: Update) => boolean

/** Writes that are described by one of these beginnings. */
export function those(...beginnings: readonly string[]): Which {
  return (update) => beginnings.some((beginning) => inWords(update).startsWith(beginning))
}

/** Every update and every check of a claim is changed before it takes place. */
export function changing(which: Which, change: (update: Update) => Update): Wrap {
  const changed = (update: Update): Update => (which(update) ? change(update) : update)
  return (base) => ({
    ...base,
    update: (updates) => base.update(updates.map(changed)),
    transact: (claim, writes) => base.transact('create' in claim ? claim : changed(claim), writes),
  })
}

/** Without the conditions on `field`. */
export function dropping(field: string, which: Which): Wrap {
  return changing(which, (update) => ({
    ...update,
    where: update.where.filter((condition) => !isOn(field, condition)),
  }))
}

function isOn(field: string, condition: Condition): boolean {
  if ('all' in condition) return condition.all.every((each) => isOn(field, each))
  if ('any' in condition) return condition.any.every((each) => isOn(field, each))
  if ('field' in condition) return condition.field === field
  return ('exists' in condition ? condition.exists : condition.absent) === field
}

/** A refusal of these counts as success. */
export function believing(which: Which): Wrap {
  return (base) => ({
    ...base,
    update: async (updates) => {
      const outcomes = await base.update(updates)
      return outcomes.map((outcome, index) => {
        const update = updates[index]
        const believed = outcome.kind === 'refused' && update !== undefined && which(update)
        return believed ? { kind: 'applied', item: outcome.item } : outcome
      })
    },
  })
}

/** These are answered, and never written. */
export function pretending(which: Which): Wrap {
  return (base) => ({
    ...base,
    update: async (updates) => {
      const outcomes = updates.map(async (update) => {
        if (!which(update)) return (await base.update([update]))[0]
        const [read] = await base.read([update.key])
        const item = read?.kind === 'found' ? read.item : undefined
        return { kind: 'applied', item: { ...item, ...update.set } } as const
      })
      return (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined)
    },
  })
}

/** A claim overwrites the stored token in these cases. */
export function overwriting(which: (standing: Item) => boolean): Wrap {
  return (base) => ({
    ...base,
    create: async (items) => {
      const outcomes = items.map(async (item) => {
        const [created] = await base.create([item])
        if (created?.kind !== 'refused' || !which(created.item ?? {})) return created
        const { pk, sk, ...set } = item
        const left = Object.keys(created.item ?? {}).filter((name) => !Object.hasOwn(item, name))
        const over = { key: { pk, sk }, where: [], set: flat(set), remove: left }
        return (await base.update([over]))[0]
      })
      return (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined)
    },
  })
}

function flat(item: Item): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) =>
      typeof value === 'object' ? [] : [[name, value]],
    ),
  )
}

/** Every read shows the token changed in this way. */
export function showing(change: (token: Item, to: string | undefined) => Item | undefined): Wrap {
  return (base) => ({
    ...base,
    create: async (items) => {
      const outcomes = await base.create(items)
      return outcomes.map((outcome, index) =>
        outcome.kind === 'refused' ? shown(outcome, textIn(items[index], 'attemptId')) : outcome,
      )
    },
    read: async (keys, options) =>
      (await base.read(keys, options)).map((outcome) => shown(outcome, undefined)),
    update: async (updates) => {
      const outcomes = await base.update(updates)
      return outcomes.map((outcome, index) =>
        outcome.kind === 'refused' ? shown(outcome, writerOf(updates[index])) : outcome,
      )
    },
  })

  function shown<O extends { readonly kind: string }>(outcome: O, to: string | undefined): O {
    if (!('item' in outcome) || outcome.item === undefined) return outcome
    return { ...outcome, item: change(outcome.item as Item, to) }
  }
}

function textIn(item: Item | undefined, name: string): string | undefined {
  const value = item?.[name]
  return typeof value === 'string' ? value : undefined
}

function writerOf(update: Update | undefined): string | undefined {
  const claimed = update?.set?.['attemptId']
  if (claimed !== undefined) return String(claimed)
  const own = update?.where.find((each) => 'field' in each && each.field === 'attemptId')
  return own !== undefined && 'value' in own ? String(own.value) : undefined
}

/** The conditions of the user's write. */
export function guarding(change: (where: UserCondition) => UserCondition | undefined): Wrap {
  const changed = (write: BesideClaim): BesideClaim =>
    isUserWrite(write)
      ? { ...write, where: write.where.map(change).filter((condition) => condition !== undefined) }
      : write
  return (base) => ({
    ...base,
    transact: (claim, writes) => base.transact(claim, writes.map(changed)),
  })
}

export function both(one: Wrap, other: Wrap): Wrap {
  return (base) => one(other(base))
}
