import { toUserItem } from '../../../library/protocol/store/wire/attributes.ts'
import type { LocalCloud } from '../cloud/openCloud.ts'
import { messagesIn } from '../engines/queueContents.ts'
import type { Book, BookContext, OutsideRequest, SentRequest } from './definition.ts'

/** What a book of FILE has found. */
export interface BookState {
  readonly name: string
  /** `waiting`: it says something only at rest. `failed`: it threw `note`. */
  readonly state: 'green' | 'red' | 'waiting' | 'failed'
  readonly offending: readonly string[]
  readonly note?: string
}

/** What books read that is not in the cloud. */
export interface BookSources {
  readonly sent: readonly SentRequest[]
  calls(system: string): Promise<readonly OutsideRequest[]>
}

export function bookContext(cloud: LocalCloud, sources: BookSources): BookContext {
  return {
    cloud,
    calls: sources.calls,
    messages: async (queue) => {
      const all = messagesIn(await cloud.queueContents(queue))
      return all.map(({ messageId, payload }) => ({ messageId, payload }))
    },
    sent: (to) => sources.sent.filter((each) => each.to === to),
    items: async (TableName) => {
      const { paginateScan } = await import('@aws-sdk/client-dynamodb')
      const pages = paginateScan({ client: cloud.dynamodb }, { TableName, ConsistentRead: true })
      const items: Readonly<Record<string, unknown>>[] = []
      for await (const { Items = [] } of pages) items.push(...Items.map(toUserItem))
      return items
    },
  }
}

/** Reads all books, one after the other. Never rejects. */
export async function readBooks(
  books: Readonly<Record<string, Book>>,
  context: BookContext,
  atRest: boolean,
): Promise<readonly BookState[]> {
  const states: BookState[] = []
  for (const [name, book] of Object.entries(books)) {
    states.push({ name, ...(await read(book, context, atRest)) })
  }
  return states
}

async function read(
  book: Book,
  context: BookContext,
  atRest: boolean,
): Promise<Omit<BookState, 'name'>> {
  if (typeof book !== 'function' && !atRest) return { state: 'waiting', offending: [] }
  const check = typeof book === 'function' ? book : book.atRest
  try {
    const found = await check(context)
    const { offending, note } = 'offending' in found ? found : { offending: found, note: undefined }
    const state = offending.length === 0 ? 'green' : 'red'
    return { state, offending: offending.map(String), ...(note !== undefined && { note }) }
  } catch (error) {
    return { state: 'failed', offending: [], note: String(error) }
  }
}
