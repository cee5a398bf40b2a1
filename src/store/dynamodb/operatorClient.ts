import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/** Milliseconds: an operator waits for the answer. */
const TIMES = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }

/** For the command line. @param config region, endpoint and credentials from its options */
export function operatorDynamoDb(config: DynamoDBClientConfig): DynamoDBClient {
  return new DynamoDBClient({ requestHandler: TIMES, ...config })
}
