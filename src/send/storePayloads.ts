import type { MovedPayload } from '../record/envelope/envelope.ts'

/**
 * Stores the payloads of messages that are about to be sent: a consumer must never get a message before its payload is there.
 * Messages with the same payload share one object.
 * @throws StoreUnavailableError: nothing may be sent
 */
export async function storePayloads(
  messages: readonly { readonly moved?: MovedPayload }[],
): Promise<void> {
  const moved = messages.flatMap((message) => message.moved ?? [])
  const unique = new Map(moved.map((payload) => [payload.carried.sha256, payload]))
  await Promise.all([...unique.values()].map((payload) => payload.store()))
}
