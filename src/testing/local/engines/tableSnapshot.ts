import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'

type Row = Record<string, AttributeValue>

/** The content of a table at one time. */
export interface TableSnapshot {
  /** Restores the content, as from a backup; items that were added since are deleted. */
  restore(): Promise<void>
}

const AT_ONCE = 25

/** Reads consistently, page by page; concurrent writes may be included or not, as in a backup. */
export async function snapshotOf(
  client: DynamoDBClient,
  table: string,
  keyNames: readonly string[],
): Promise<TableSnapshot> {
  const sdk = await import('@aws-sdk/client-dynamodb')
  const keyOf = (row: Row): Row =>
    Object.fromEntries(keyNames.flatMap((name) => (row[name] ? [[name, row[name]]] : [])))

  async function scan(): Promise<readonly Row[]> {
    const rows: Row[] = []
    const pages = sdk.paginateScan({ client }, { TableName: table, ConsistentRead: true })
    for await (const { Items = [] } of pages) rows.push(...Items)
    return rows
  }

  const then = await scan()
  const kept = new Set(then.map((row) => JSON.stringify(keyOf(row))))
  return {
    restore: async () => {
      const gone = (await scan()).map(keyOf).filter((key) => !kept.has(JSON.stringify(key)))
      const writes = [
        ...gone.map((Key) => new sdk.DeleteItemCommand({ TableName: table, Key })),
        ...then.map((Item) => new sdk.PutItemCommand({ TableName: table, Item })),
      ]
      for (let from = 0; from < writes.length; from += AT_ONCE) {
        const some = writes.slice(from, from + AT_ONCE)
        await Promise.all(
          some.map((write) =>
            write instanceof sdk.PutItemCommand ? client.send(write) : client.send(write),
          ),
        )
      }
    },
  }
}
