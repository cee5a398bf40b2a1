import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSClient } from '@aws-sdk/client-sqs'

export interface AccountClients {
  readonly sqs: Pick<SQSClient, 'send'>
  readonly dynamodb: Pick<DynamoDBClient, 'send'>
  /** `new Lambda()` of `@aws-sdk/client-lambda` fits. Without it, rules about functions and mappings are not checked. */
  readonly lambda?: LambdaReader | MissingClient
  /** `new SNS()` of `@aws-sdk/client-sns` fits. Without it, rules about topics are not checked. */
  readonly sns?: SnsReader | MissingClient
}

/** Why there is no client, and how to get it. */
export interface MissingClient {
  readonly why: string
  readonly cure: string
}

export function isAvailable<Client extends object>(
  client: Client | MissingClient,
): client is Client {
  return !('why' in client)
}

export interface LambdaReader {
  listEventSourceMappings(input: { EventSourceArn: string; Marker?: string }): Promise<MappingPage>
  getFunctionConfiguration(input: { FunctionName: string }): Promise<FunctionDescription>
  getFunctionRecursionConfig(input: { FunctionName: string }): Promise<{
    RecursiveLoop?: string | undefined
  }>
}

export interface SnsReader {
  listSubscriptionsByTopic(input: {
    TopicArn: string
    NextToken?: string
  }): Promise<SubscriptionPage>
  getSubscriptionAttributes(input: { SubscriptionArn: string }): Promise<{
    Attributes?: Readonly<Record<string, string | undefined>> | undefined
  }>
}

export interface SubscriptionPage {
  readonly Subscriptions?:
    | readonly {
        readonly SubscriptionArn?: string | undefined
        readonly Endpoint?: string | undefined
      }[]
    | undefined
  readonly NextToken?: string | undefined
}

interface MappingPage {
  readonly EventSourceMappings?: readonly MappingDescription[] | undefined
  readonly NextMarker?: string | undefined
}

export interface MappingDescription {
  readonly UUID?: string | undefined
  readonly FunctionArn?: string | undefined
  /** `Enabled`, `Disabling`, …. */
  readonly State?: string | undefined
  readonly BatchSize?: number | undefined
  readonly MaximumBatchingWindowInSeconds?: number | undefined
  readonly FunctionResponseTypes?: readonly string[] | undefined
  readonly ScalingConfig?: { readonly MaximumConcurrency?: number | undefined } | undefined
  readonly ProvisionedPollerConfig?: object | undefined
  readonly FilterCriteria?:
    | { readonly Filters?: readonly { readonly Pattern?: string | undefined }[] | undefined }
    | undefined
}

interface FunctionDescription {
  readonly FunctionArn?: string | undefined
  readonly Timeout?: number | undefined
  readonly Runtime?: string | undefined
  readonly Role?: string | undefined
  readonly CapacityProviderConfig?: object | undefined
  readonly DurableConfig?: object | undefined
  readonly TenancyConfig?: object | undefined
}
