import type { RecordContext } from '../../../../src/library/run/context/context.ts'
import type { Life } from '../lives.ts'
import type { World } from '../world.ts'

interface Effect {
  readonly key: string
  readonly request: string
  /** Its name within the request. */
  readonly effect: string
}

const TableName = 'counts'

/** One effect: 1 is added, once for each request. */
export async function add(
  { book }: World,
  { client }: Life,
  ctx: Pick<RecordContext, 'write'>,
  { key, request, effect }: Effect,
): Promise<void> {
  const input = { do: 'add', effect: `${request}/${effect}` }
  const answer = book.begin({ model: 'counter', key, client, input })
  await ctx.write(effect, { TableName, Key: { id: key }, add: { n: 1 } })
  answer({})
}

export function readCount({ book, cloud }: World, key: string): void {
  const answer = book.begin({ model: 'counter', key, client: 0, input: { do: 'read' } })
  const row = cloud.store.userItems(TableName).find(({ id }) => id === key)
  answer({ n: Number(row?.['n'] ?? 0) })
}
