import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { ConfigError, messageOf } from '../../../library/base/errors.ts'
import { LOCAL_REGION } from '../description/description.ts'

/** The URLs of the started services. */
export interface Endpoints {
  readonly sqs?: string
  readonly sns?: string
  readonly eventBridge?: string
  readonly dynamodb?: string
  readonly s3?: string
}

export interface LocalClients {
  readonly sqs: SQSClient | undefined
  readonly sns: SNSClient | undefined
  readonly eventBridge: EventBridgeClient | undefined
  readonly dynamodb: DynamoDBClient | undefined
}

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' }

/** SDK clients for the started services. Each SDK package is loaded only when its service runs. */
export async function makeClients({
  sqs,
  sns,
  eventBridge,
  dynamodb,
}: Endpoints): Promise<LocalClients> {
  const [SQS, SNS, EventBridge, DynamoDB] = await Promise.all([
    sqs && import('@aws-sdk/client-sqs').catch(missing('client-sqs')),
    sns && import('@aws-sdk/client-sns').catch(missing('client-sns')),
    eventBridge && import('@aws-sdk/client-eventbridge').catch(missing('client-eventbridge')),
    dynamodb && import('@aws-sdk/client-dynamodb').catch(missing('client-dynamodb')),
  ])
  return {
    sqs: SQS ? new SQS.SQSClient(clientOf(sqs)) : undefined,
    sns: SNS ? new SNS.SNSClient(clientOf(sns)) : undefined,
    eventBridge: EventBridge ? new EventBridge.EventBridgeClient(clientOf(eventBridge)) : undefined,
    dynamodb: DynamoDB ? new DynamoDB.DynamoDBClient(clientOf(dynamodb)) : undefined,
  }
}

/** The same as environment variables, for another process. */
export function environmentOf(endpoints: Endpoints): Readonly<Record<string, string>> {
  return {
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    ...Object.fromEntries(
      Object.entries(endpoints).map(([service, url]: [string, string]) => [
        variableOf(service),
        url,
      ]),
    ),
  }
}

/** Where the SDK looks for the endpoint of a service. */
export function variableOf(service: string): string {
  return `AWS_ENDPOINT_URL_${service.toUpperCase()}`
}

export function destroyClients(clients: LocalClients): void {
  const { sqs, sns, eventBridge, dynamodb } = clients
  for (const client of [sqs, sns, eventBridge, dynamodb]) client?.destroy()
}

export function clientOf(endpoint = ''): {
  endpoint: string
  region: string
  credentials: typeof CREDENTIALS
} {
  return { endpoint, region: LOCAL_REGION, credentials: CREDENTIALS }
}

/** With `catch` directly at the import a bundler accepts that an optional package is missing. */
export function missing(name: string): (error: unknown) => never {
  return (error) => {
    throw new ConfigError(
      `startLocalCloud needs the package @aws-sdk/${name}, which could not be loaded (${messageOf(error)}). Install it: npm install @aws-sdk/${name}`,
      { cause: error },
    )
  }
}
