import { notKnown } from '../../../library/protocol/store/format.ts'
import type { Item } from '../../../library/protocol/store/store.ts'

/** For operators, whose reads do not go through a store. @throws UnknownFormatError: nothing is concluded from a part of the items */
export function knownItem(item: Item): Item {
  const unknown = notKnown(item)
  if (unknown !== undefined) throw unknown.error
  return item
}
