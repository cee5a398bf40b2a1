import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { POLL_TIMES } from './timeouts.ts'

/**
 * For the command line. Else AWS_ENDPOINT_URL_SQS would be passed over for the host in the queue's URL.
 * @param config what was said there: region, endpoint, credentials
 */
export function operatorSqs(config: SQSClientConfig): SQSClient {
  return new SQSClient({ requestHandler: POLL_TIMES, useQueueUrlAsEndpoint: false, ...config })
}
