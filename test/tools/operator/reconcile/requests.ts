import type { ClaimRequest } from '../../../../src/library/protocol/claim/token/decideClaim.ts'
import { newToken } from '../../../../src/library/protocol/claim/token/claimWrites.ts'
import {
  addEffect,
  finishDeadLettering,
  startDeadLettering,
} from '../../../../src/library/protocol/claim/token/tokenWrites.ts'
import { complete } from '../../../../src/library/protocol/claim/token/settleWrites.ts'
import {
  firstToken,
  readToken,
  type Token,
  tokenKey,
} from '../../../../src/library/protocol/claim/token/token.ts'
import { idOfPayload } from '../../../../src/library/protocol/record/message/identity.ts'
import type { TableReader } from '../../../../src/tools/operator/aws/tableReader.ts'
import type { Item, Store, StoreKey, Update } from '../../../../src/library/protocol/store/store.ts'

export const DAY = 86_400_000
export const NOW = Date.parse('2026-01-31T12:00:00Z')

/** How far a request has come. */
export type Course = 'completed' | 'claimed' | 'marked' | 'dead' | 'dead marked'

/** Makes requests of the consumer `orders` with the writes of the consumer itself. */
export async function makeRequests(
  store: Store,
  courses: ReadonlyMap<string, Course>,
  now = NOW,
): Promise<void> {
  await Promise.all([...courses].map(([id, course]) => makeRequest(store, id, course, now)))
}

async function makeRequest(store: Store, id: string, course: Course, now: number): Promise<void> {
  const { pk } = keyOf(id)
  const request = claimOf(pk, now)
  await store.create([newToken(request, now)])
  let token = firstToken({ pk, attemptId: 'a1', leaseUntil: now + 8_000, payloadHash: undefined })
  const write = async (update: Update): Promise<void> => {
    const [outcome] = await store.update([update])
    if (outcome?.kind !== 'applied') throw new Error(`refused: ${id}`)
    token = await tokenOf(store, id)
  }
  if (course.endsWith('marked')) await write(addEffect(token, 'book'))
  if (course.startsWith('dead')) {
    await write(startDeadLettering(token, { reason: 'terminal', error: 'no' }, now))
    await write(finishDeadLettering(token, now))
  }
  if (course === 'completed') await write(complete(token, now, 30 * DAY))
}

/** Completes a request that was claimed or marked. */
export async function completeRequest(store: Store, id: string, now = NOW): Promise<void> {
  await store.update([complete(await tokenOf(store, id), now, 30 * DAY)])
}

export async function tokenOf(store: Store, id: string): Promise<Token> {
  const [read] = await store.read([keyOf(id)], { consistent: true })
  const token = read?.kind === 'found' && read.item ? readToken(read.item) : undefined
  if (token === undefined) throw new Error(`no token: ${id}`)
  return token
}

/** Under the identity that the consumer gives to a message whose `id(payload)` returns the id. */
function keyOf(id: string): StoreKey {
  return tokenKey(
    'orders',
    idOfPayload(id, (same) => same),
  )
}

function claimOf(pk: string, now: number): ClaimRequest {
  return {
    pk,
    attemptId: 'a1',
    lockedBy: 'request-1',
    leaseUntil: now + 8_000,
    expectedCompletion: now + 3_000,
    maxAttempts: 6,
    payloadHash: undefined,
    trustsUnhashed: false,
    resendNumber: 0,
    death: undefined,
    deadLetter: false,
    refused: false,
  }
}

/** A table of one segment. */
export function memoryReader({ items }: { items(): readonly Item[] }): TableReader {
  return {
    partition: async (pk) => items().filter((item) => item['pk'] === pk),
    async *scan({ prefix = '', segment, onPage } = {}) {
      if (segment !== undefined && segment.index > 0) return
      const all = items()
      onPage?.({ looked: all.length, readUnits: 0 })
      yield all.filter(({ pk }) => typeof pk === 'string' && pk.startsWith(prefix))
    },
    count: async () => items().length,
  }
}
