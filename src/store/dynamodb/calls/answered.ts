/**
 * The answer of a client, or an error for none. A client of the SDK adds `$metadata` to each answer; a mocked one that resolves
 * nothing, or `{}`, has written nothing, and a test that took this for success would be green for code that does nothing.
 */
export async function answered<Output extends object>(
  client: object,
  answer: Promise<Output>,
): Promise<Output> {
  const given: Output | undefined = await answer
  const isMissing = given === undefined || given === null
  if (!isMissing && ('$metadata' in given || !('middlewareStack' in client))) return given
  throw new Error(
    'the client gave an empty answer, so nothing is known to be written. A mocked client has to resolve what DynamoDB answers, with ' +
      '$metadata. Unit tests need none: use memoryStore() of lineclear/testing',
  )
}
