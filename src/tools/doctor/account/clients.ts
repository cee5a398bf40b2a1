import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Lambda, LambdaClientConfig } from '@aws-sdk/client-lambda'
import type { SNSClientConfig } from '@aws-sdk/client-sns'
import { POLL_TIMES } from '../../operator/aws/queues.ts'

export interface AccountClients {
  readonly sqs: Pick<SQSClient, 'send'>
  readonly dynamodb: Pick<DynamoDBClient, 'send'>
  /** `new Lambda()` of `@aws-sdk/client-lambda` fits. Without it, rules about functions and mappings are not checked. */
  readonly lambda?: LambdaReader | MissingClient
  /** By Region, which a topic may have to itself. Without it, rules about topics are not checked. */
  readonly sns?: SnsReaders | MissingClient
}

/** Why there is no client, and how to get it. */
export interface MissingClient {
  readonly why: string
  readonly cure: string
  /** What is to be installed, if that is all. */
  readonly package?: string
}

export function isAvailable<Client extends object>(
  client: Client | MissingClient,
): client is Client {
  return !('why' in client)
}

/** It describes mappings and functions in the words of CloudFormation. */
export interface LambdaReader {
  listEventSourceMappings(input: { EventSourceArn: string; Marker?: string }): Promise<{
    readonly EventSourceMappings?: readonly object[] | undefined
    readonly NextMarker?: string | undefined
  }>
  getFunctionConfiguration(input: { FunctionName: string }): Promise<object>
  getFunctionRecursionConfig(input: { FunctionName: string }): Promise<{
    RecursiveLoop?: string | undefined
  }>
}

/** `new SNS()` of `@aws-sdk/client-sns` fits. */
export interface SnsReader {
  listSubscriptionsByTopic(input: { TopicArn: string; NextToken?: string }): Promise<{
    readonly Subscriptions?:
      | readonly { SubscriptionArn?: string | undefined; Endpoint?: string | undefined }[]
      | undefined
    readonly NextToken?: string | undefined
  }>
  getSubscriptionAttributes(input: { SubscriptionArn: string }): Promise<{
    readonly Attributes?: Readonly<Record<string, string>> | undefined
  }>
}

export type SnsReaders = (region: string) => SnsReader

export async function loadLambdaReader(
  config: LambdaClientConfig,
): Promise<Lambda | MissingClient> {
  return unlessMissing('@aws-sdk/client-lambda', async () => {
    const { Lambda } = await import('@aws-sdk/client-lambda')
    return new Lambda({ requestHandler: POLL_TIMES, ...config })
  })
}

export async function loadSnsReaders(config: SNSClientConfig): Promise<SnsReaders | MissingClient> {
  return unlessMissing('@aws-sdk/client-sns', async () => {
    const { SNS } = await import('@aws-sdk/client-sns')
    return (region) => new SNS({ requestHandler: POLL_TIMES, ...config, region })
  })
}

/** Loads an optional peer dependency, which most users of the queue commands have not installed. */
async function unlessMissing<Client>(
  name: string,
  load: () => Promise<Client>,
): Promise<Client | MissingClient> {
  try {
    return await load()
  } catch (error) {
    // A package that it needs itself is missing in a broken installation only.
    if (missingPackage(error) !== name) throw error
    const cure = `npm install --save-dev ${name}, or give --template`
    return { why: `${name} is not installed`, cure, package: name }
  }
}

/** An optional package that is needed, and not installed. */
export class MissingPackageError extends Error {
  readonly package: string

  constructor(name: string) {
    super(`${name} is not installed. Type: npm install --save-dev ${name}`)
    this.package = name
  }
}

const CODES: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

/** The package that was not found by `import`, or by `require`, which the commands of the built package load with. A file is none. */
export function missingPackage(error: unknown): string | undefined {
  if (error instanceof MissingPackageError) return error.package
  if (!(error instanceof Error && 'code' in error && CODES.has(error.code))) return undefined
  return /^Cannot find (?:module|package) '((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(error.message)?.[1]
}
