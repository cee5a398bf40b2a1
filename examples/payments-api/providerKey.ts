import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'
import { idempotencyKeyHeader } from 'lineclear'

/** Made of the caller and the key: two callers may choose the same key, and the provider knows neither. */
export function providerKey(event: APIGatewayProxyEvent | APIGatewayProxyEventV2): string {
  const { authorizer } = event.requestContext as { readonly authorizer?: Authorizer }
  const caller = authorizer?.principalId ?? authorizer?.iam?.callerId ?? ''
  return `${caller}/${idempotencyKeyHeader(event, 'required')}`
}

interface Authorizer {
  readonly principalId?: string
  readonly iam?: { readonly callerId?: string }
}
