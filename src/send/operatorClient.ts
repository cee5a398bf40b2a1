import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { POLL_TIMES } from './timeouts.ts'

/**
 * A client for the command line, which prefers AWS_ENDPOINT_URL_SQS to the host in the queue's URL.
 * @param config region, endpoint and credentials from the command line
 */
export function operatorSqs(config: SQSClientConfig): SQSClient {
  return new SQSClient({ requestHandler: POLL_TIMES, useQueueUrlAsEndpoint: false, ...config })
}
