import type { SimulatedMessage } from './simulatedQueue.ts'

/**
 * The messages that stay on the queue, by Lambda's reading of the response: those it names as failed, or all of them when it
 * names one that was not in the batch.
 */
export function failedMessages(
  response: unknown,
  messages: readonly SimulatedMessage[],
): readonly SimulatedMessage[] {
  const failures = failuresOf(response)
  if (failures === undefined) return []
  if (!Array.isArray(failures)) return messages
  const named = failures.map((failure: unknown) => messages.find(({ id }) => id === idIn(failure)))
  if (named.includes(undefined)) return messages
  return messages.filter((queued) => named.includes(queued))
}

function failuresOf(response: unknown): unknown {
  if (typeof response !== 'object' || response === null) return undefined
  return 'batchItemFailures' in response ? (response.batchItemFailures ?? undefined) : undefined
}

function idIn(failure: unknown): unknown {
  if (typeof failure !== 'object' || failure === null) return undefined
  return 'itemIdentifier' in failure ? failure.itemIdentifier : undefined
}
