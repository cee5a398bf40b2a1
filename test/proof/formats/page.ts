import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Item, Store, StoreKey } from '../../../src/library/protocol/store/store.ts'

const PAGE = readFileSync(
  join(import.meta.dirname, '../../../src/library/protocol/store/formats.md'),
  'utf8',
)

export interface Field {
  readonly name: string
  /** Cells behind the name: what, writer, reader, until. */
  readonly cells: readonly string[]
}

/** The rows of the tables below a heading, or below a line that begins with a text. */
export function fieldsBelow(start: string): readonly Field[] {
  const lines = PAGE.split('\n')
  const at = lines.findIndex((line) => line.startsWith(start))
  if (at < 0) throw new Error(`the page has no line that begins with ${start}`)
  const rows: Field[] = []
  for (const line of lines.slice(at + 1)) {
    if (line.startsWith('#') || (rows.length > 0 && line.startsWith('`'))) break
    if (!line.startsWith('|`')) continue
    const [names = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) rows.push({ name, cells })
  }
  return rows
}

/** Names of the kinds of items, as their headings have them. */
export const KINDS: readonly string[] = [...PAGE.matchAll(/^### `([^`]+)`: /gm)].map(
  ([, kind = '']) => kind,
)

const OF_EVERY_ITEM = new Set(fieldsBelow('### Every item').map(({ name }) => name))
const OF_KINDS = new Map(
  KINDS.map((kind) => [kind, new Set(fieldsBelow(`### \`${kind}\`: `).map(({ name }) => name))]),
)

/** The kind of an item by its key. undefined: a key that Lineclear does not write, such as in a test of the store itself. */
export function kindOf({ pk, sk }: StoreKey): string | undefined {
  if (sk === 'token') return /^(?:lock|key)#/.test(pk) ? 'token' : undefined
  if (pk === 'circuits' || pk === 'pauses' || pk === 'searches') return pk
  const [table = ''] = pk.split('#')
  const [part = '', , , more] = sk.split('#')
  if (table === 'flow' && part === 'await') return more === undefined ? 'await' : 'given'
  if (table === 'flow') return KINDS.includes(part) ? part : undefined
  if (table === 'operation') return part === 'ids' ? 'ids' : 'operation'
  if (table === 'discarded' || table === 'audit') return table
  if (part === 'result') return 'result'
  return ['later', 'once', 'waiters'].includes(sk) ? sk : undefined
}

/** Names that are made of others are on the page by their beginning. */
function nameOf(field: string): string {
  return field.replace(/^(step:|ended:|stage:|wait:|payload:).*/s, '$1…')
}

/** @returns the fields that the page does not have */
export function unknownFields(key: StoreKey, fields: readonly string[]): readonly string[] {
  const kind = kindOf(key)
  const known = kind === undefined ? undefined : OF_KINDS.get(kind)
  // Of `onceForever` the caller gives attributes of its own.
  if (known === undefined || kind === 'once') return []
  const names = [...new Set(fields.map(nameOf))]
  return names.filter((name) => !known.has(name) && !OF_EVERY_ITEM.has(name))
}

/** A store that refuses to write what the page does not have: no test that uses it may. */
export function documented<S extends Store>(store: S): S {
  const check = (key: StoreKey, ...written: readonly (object | undefined)[]): void => {
    const unknown = unknownFields(
      key,
      written.flatMap((one) => Object.keys(one ?? {})),
    )
    if (unknown.length === 0) return
    throw new Error(
      `src/library/protocol/store/formats.md lacks ${unknown.join(', ')} of ${kindOf(key)}`,
    )
  }
  const checkItem = (item: Item & StoreKey): void => check(item, item)
  return {
    ...store,
    create(items) {
      items.forEach(checkItem)
      return store.create(items)
    },
    update(updates) {
      for (const { key, set, addTo } of updates)
        check(key, set, addTo && { [addTo.field]: addTo.member })
      return store.update(updates)
    },
    transact(claim, writes) {
      if ('create' in claim) checkItem(claim.create)
      else check(claim.key, claim.set, claim.addTo && { [claim.addTo.field]: claim.addTo.member })
      return store.transact(claim, writes)
    },
  }
}
