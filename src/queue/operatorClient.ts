import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'

/** A person waits for an answer, but not for ever; a long poll takes 20 seconds. Milliseconds. */
const TIMES = { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true }

/**
 * For the command line. Else AWS_ENDPOINT_URL_SQS would be passed over for the host in the queue's URL.
 * @param config what was said there: region, endpoint, credentials
 */
export function operatorSqs(config: SQSClientConfig): SQSClient {
  return new SQSClient({ requestHandler: TIMES, useQueueUrlAsEndpoint: false, ...config })
}
