// @acts

import { storedKey } from '../../../library/entries/flow/messagePosition.ts'
import { delayedKey } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import { digestOf } from '../../../library/protocol/claim/stage/version.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { formsOfId, hashedKey, namedKeys } from '../item/namedKeys.ts'
import type { TableReader } from '../aws/tableReader.ts'

/** All items under one id: the token, record or event first, then what belongs to it. */
export interface StoredRequest {
  readonly pk: string
  readonly items: readonly Item[]
}

/**
 * Reads the items of `consumer/ID` or `flow/KEY`: no group, one group, or several if a consumer and a flow share a name.
 * @throws StoreUnavailableError
 */
export async function readRequest(
  reader: Pick<TableReader, 'partition'>,
  id: string,
): Promise<readonly StoredRequest[]> {
  const found = await Promise.all(
    namedKeys(id).map(async ({ pk }) => ({ pk, items: sorted(await reader.partition(pk)) })),
  )
  return found.filter(({ items }) => items.length > 0)
}

interface ScanEnd {
  readonly found: readonly StoredRequest[]
  /** Number of items. */
  readonly read: number
  /** What the rest of the table has is not known. */
  readonly stopped: boolean
}

/**
 * Finds everything that mentions a bare id, by reading the whole table.
 * @param onPage called with the number of items read so far
 * @param signal ends it behind a page
 */
export async function scanForRequest(
  reader: TableReader,
  id: string,
  onPage: (read: number) => void = () => {},
  signal?: AbortSignal,
): Promise<ScanEnd> {
  const pks = new Set<string>()
  let read = 0
  const hashed = `/${hashedKey(id)}`
  const forms = [...new Set([...formsOfId(id), storedKey(id)])]
  for await (const page of reader.scan()) {
    for (const item of page) {
      if (forms.some((form) => mentions(item, form, hashed))) pks.add(itemKey(item).pk)
    }
    read += page.length
    onPage(read)
    if (signal?.aborted === true) break
  }
  const shown = [...pks].toSorted().map(async (pk) => ({ pk, items: await reader.partition(pk) }))
  const found = (await Promise.all(shown)).map(({ pk, items }) => ({ pk, items: sorted(items) }))
  return { found, read, stopped: signal?.aborted === true }
}

/** Its key ends with the id or its hash, its run has the id, or it remembers the id by a digest. */
function mentions(item: Item, id: string, hashed: string): boolean {
  const { pk, sk } = itemKey(item)
  if (pk.endsWith(`/${id}`) || pk === delayedKey(id).pk || sk.split('#').includes(id)) return true
  if (item['uniquerequestid'] === id || (pk.startsWith('key#') && pk.endsWith(hashed))) return true
  const remembered = [item['newest'], item['waiting']].some(
    (version) => typeof version === 'string' && version.endsWith(`#${id}`),
  )
  return remembered || hasDigest(item, digestOf(id)) || sk === `done#${digestOf(id)}`
}

function hasDigest(item: Item, digest: string): boolean {
  return ['last', 'ended', 'dropped'].some((field) => {
    const value = item[field]
    return typeof value === 'string' && value.includes(digest)
  })
}

const FIRST = ['token', 'stage', 'once']

function sorted(items: readonly Item[]): readonly Item[] {
  const rank = (item: Item): string => {
    const { sk } = itemKey(item)
    return `${FIRST.includes(sk) ? 0 : 1}${sk}`
  }
  return items.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
}
