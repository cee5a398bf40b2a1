/** An answer of an engine: with sets in one order, and without the words of an error. */
export interface Answer {
  readonly status: number
  readonly [member: string]: unknown
}

/** Sends a request as plain JSON, past the SDK and the rules of the local cloud. */
export async function send(endpoint: string, operation: string, request: object): Promise<Answer> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify(request),
  })
  return { status: response.status, ...readAnswer(await response.text()) }
}

/** An engine that fails within may answer with a page. */
function readAnswer(text: string): object {
  try {
    return JSON.parse(text, inOneOrder) as object
  } catch {
    return { __type: 'no JSON' }
  }
}

function inOneOrder(name: string, value: unknown): unknown {
  if (!/^[SNB]S$/.test(name) || !Array.isArray(value)) return value
  return value.map(String).toSorted()
}

/** What two engines have to agree on. */
export function comparable(answer: Answer): unknown {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) => (/^message$/i.test(name) ? undefined : value)),
  )
}
