import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

/** The SDK's own settings, and keys that need no look-up: the same client for every peer. */
export function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' },
    // The stub signs its own certificate.
    requestHandler: { httpsAgent: { rejectUnauthorized: false } },
  })
}
