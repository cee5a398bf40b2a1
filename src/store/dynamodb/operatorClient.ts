import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/** A person waits for an answer, but not for ever. Milliseconds. */
const TIMES = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }

/** For the command line. @param config what was said there: region, endpoint, credentials */
export function operatorDynamoDb(config: DynamoDBClientConfig): DynamoDBClient {
  return new DynamoDBClient({ requestHandler: TIMES, ...config })
}
