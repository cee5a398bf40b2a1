import type { TerminalError } from '../../errors.ts'
import { wrongIndexKeys } from '../../limits/wrongKey.ts'
import { wrongItem } from '../../limits/wrongValue.ts'
import { mistakeIn, mistakeInKey } from '../validateWrite.ts'
import type { Item, Key, Update } from '../store.ts'
import { caught, mistake } from '../unstorable.ts'
import { toAttributes } from '../wire/attributes.ts'
import { OWN_KEYS } from './ownKeys.ts'

/** What DynamoDB refuses before it looks at the item, in words. */
export function mistakeInOwnItem(item: Item & Key): TerminalError | undefined {
  return mistakeInKey(item) ?? mistakeInValues(item)
}

export function mistakeInOwnUpdate(update: Update): TerminalError | undefined {
  return mistakeIn(update) ?? mistakeInValues(update.set ?? {})
}

function mistakeInValues(item: Item): TerminalError | undefined {
  return caught(() => {
    const attributes = toAttributes(item)
    return mistake(wrongIndexKeys(OWN_KEYS, attributes) ?? wrongItem(attributes))
  })
}
