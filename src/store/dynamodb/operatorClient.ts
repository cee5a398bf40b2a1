import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/** Milliseconds, so that an operator does not wait long for an answer. */
const TIMES = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }

/**
 * The client of the command line.
 * @param config region, endpoint and credentials from the command line
 */
export function operatorDynamoDb(config: DynamoDBClientConfig): DynamoDBClient {
  return new DynamoDBClient({ requestHandler: TIMES, ...config })
}
