import { TerminalError } from '../errors.ts'
import { wrongIndexKeys, wrongKey } from '../limits/wrongKey.ts'
import { wrongItem } from '../limits/wrongValue.ts'
import type { Item, Key, Update } from './store.ts'
import { toAttributes } from './wire/attributes.ts'
import { keyAttributes } from './wire/key.ts'
import { OWN_KEYS } from './wire/ownKeys.ts'

/**
 * What DynamoDB refuses before it looks at the item, in words. Both adapters ask here: so that a handler meets the same
 * errors on both, that one bad entry does not fail the call it shares with others, and because a batched statement of
 * the same content may slip through.
 */
export function mistakeInKey(key: Key): TerminalError | undefined {
  return mistake(wrongKey(OWN_KEYS, keyAttributes(key)))
}

export function mistakeInItem(item: Item & Key): TerminalError | undefined {
  return mistakeInKey({ pk: item.pk, sk: item.sk }) ?? mistakeInValues(item)
}

export function mistakeIn(update: Update): TerminalError | undefined {
  const { key, set = {}, remove = [], addTo } = update
  const added = addTo === undefined ? [] : [addTo.field]
  const changed = [...Object.keys(set), ...remove, ...added]
  return mistakeInKey(key) ?? namedTwice(changed, ['pk', 'sk']) ?? mistakeInValues(set)
}

function mistakeInValues(item: Item): TerminalError | undefined {
  return caught(() => {
    const attributes = toAttributes(item)
    return mistake(wrongIndexKeys(OWN_KEYS, attributes) ?? wrongItem(attributes))
  })
}

/** An attribute named twice, one that belongs to the key, or one that could not be read back. */
export function namedTwice(
  changed: readonly string[],
  key: readonly string[],
  table?: string,
): TerminalError | undefined {
  const named = new Set(key)
  for (const name of changed) {
    const what = key.includes(name) ? IS_KEY : name === '__proto__' ? IS_LOST : IS_TWICE
    if (named.has(name) || what === IS_LOST) {
      return mistake(`attribute ${JSON.stringify(name)} ${what}`, table)
    }
    named.add(name)
  }
  return undefined
}

const IS_KEY = 'belongs to the key and cannot be changed'
const IS_TWICE = 'is changed twice in one write'
/** Its deserializer gives `undefined` for that name at the top of an item (3.1162.0); inside a map it is kept. */
const IS_LOST = 'would be lost by the AWS SDK when it is read'

/** @param table undefined: the framework's. */
export function mistake(wrong: string | undefined, table?: string): TerminalError | undefined {
  if (wrong === undefined) return undefined
  const where = table === undefined ? 'the framework’s table' : `table ${table}`
  return new TerminalError(
    `DynamoDB does not take what was given for ${where}: ${wrong}. Nothing was written.`,
  )
}

/** A value that cannot be stored is thrown from deep inside. */
export function caught(check: () => TerminalError | undefined): TerminalError | undefined {
  try {
    return check()
  } catch (error) {
    if (error instanceof TerminalError) return error
    throw error
  }
}
