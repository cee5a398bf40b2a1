import * as DYNAMODB from '../../../base/limits/dynamodb.ts'
import { MOST_BYTES, roomBeside } from '../../../claim/room.ts'
import { itemBytes } from '../../../base/limits/wireValue.ts'
import type { Item } from '../../../store/store.ts'
import { toAttributeMap } from '../../../store/wire/attributes.ts'
import type { Advice } from '../item/advice.ts'
import { note } from '../item/advise.ts'

/** The share from which on a record is nearly full. */
const NEARLY = 0.8

/**
 * Of a request whose item has little room left, and which may go on.
 * @param effects the names and results of its effects
 */
export function adviseRoom(
  item: Item,
  ...effects: Parameters<typeof roomBeside>
): readonly Advice[] {
  const bytes = itemBytes(toAttributeMap(item))
  const taken = MOST_BYTES - roomBeside(...effects)
  if (taken < NEARLY * MOST_BYTES && bytes < NEARLY * DYNAMODB.itemBytes) return []
  return [
    note(
      `its record is nearly full: ${bytes} of ${DYNAMODB.itemBytes} bytes; names and results of its effects have ${taken} of at most ` +
        `${MOST_BYTES}. An effect that has no room is refused before it begins (RequestFullError), and so is each further attempt: ` +
        'deploy a handler that sends the rest as messages of their own (ctx.sendTo), gives shorter names, or keeps results elsewhere ' +
        '(results: s3Results({ bucket })), then redrive it or call again. What is done is not repeated',
    ),
  ]
}
