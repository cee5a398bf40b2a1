import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SNSClient } from '@aws-sdk/client-sns'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { Answered, Clients } from '../checks/desk.ts'
import type { Credentials, Place } from './place.ts'
import { readService } from './service.ts'
import { signed } from './signed.ts'

/** An account in a Region. Without an endpoint it is AWS. */
export interface Account {
  readonly region: string
  readonly endpoint?: string
  readonly credentials: () => Promise<Credentials>
}

export interface Deployed {
  readonly account: Account
  readonly stage: string
  /** The URL of an HTTP API, by the one that the stack names. Default: as it is named. */
  readonly api?: (url: string) => string
  /** Calls the API. Default: the account's own credentials. */
  readonly caller?: Credentials
  readonly answered?: Answered | undefined
}

export function stackOf(stage: string): string {
  return `lineclear-${stage}`
}

export function probeStackOf(stage: string): string {
  return `${stackOf(stage)}-probe`
}

/** What the SDK takes from the environment. */
export async function environmentOf(account: Account): Promise<Readonly<Record<string, string>>> {
  const { accessKeyId, secretAccessKey, sessionToken } = await account.credentials()
  return {
    AWS_REGION: account.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
    ...(account.endpoint !== undefined && { AWS_ENDPOINT_URL: account.endpoint }),
  }
}

export function clientsOf(account: Account): Clients {
  return {
    sqs: new SQSClient(account),
    sns: new SNSClient(account),
    dynamodb: new DynamoDBClient(account),
    eventBridge: new EventBridgeClient(account),
  }
}

/** The resources of a stack: physical by logical names. */
export async function resourcesOf(
  client: CloudFormationClient,
  StackName: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    for (const { LogicalResourceId = '', PhysicalResourceId = '' } of page.StackResourceSummaries ??
      []) {
      found.set(LogicalResourceId, PhysicalResourceId)
    }
  }
  return found
}

/** serverless.yml where it was deployed. */
export async function openDeployed(deployed: Deployed): Promise<Place> {
  const { account, stage, answered, caller, api = (url: string) => url } = deployed
  const lambda = new LambdaClient(account)
  const s3 = new S3Client({ ...account, forcePathStyle: account.endpoint !== undefined })
  const cloudFormation = new CloudFormationClient(account)
  const StackName = stackOf(stage)
  const resources = await resourcesOf(cloudFormation, StackName)
  const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }))
  const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'HttpApiUrl')
  const base = api(output?.OutputValue ?? '')
  const nameOf = (name: string): string => `lineclear-${stage}-${name}`
  return {
    clients: clientsOf(account),
    resources,
    environment: async () => ({ ...(await environmentOf(account)), LINECLEAR_TABLE: 'lineclear' }),
    answered,
    async call(path, body, headers) {
      const url = new URL(`${base}${path}`)
      const credentials = caller ?? (await account.credentials())
      const as = { ...credentials, region: account.region }
      const response = await fetch(url, await signed(as, url, headers, body))
      return { status: response.status, body: await response.text() }
    },
    async invoke(name, event) {
      const Payload = Buffer.from(JSON.stringify(event))
      const asked = { FunctionName: nameOf(name), InvocationType: 'Event' as const, Payload }
      await lambda.send(new InvokeCommand(asked))
    },
    async environmentOf(name) {
      const asked = { FunctionName: nameOf(name) }
      const { Environment } = await lambda.send(new GetFunctionConfigurationCommand(asked))
      return Environment?.Variables ?? {}
    },
    async upload(Bucket, Key, Body) {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body }))
    },
    disturb: () => disturb(lambda, nameOf),
  }
}

/** Little of a processor, and a second: what is not done by then is cut off. */
const CUT_OFF = { Timeout: 1, MemorySize: 128 }

/** Every other consumer is cut off at its time, the others get no concurrency, until the answer is called. */
async function disturb(
  lambda: LambdaClient,
  nameOf: (name: string) => string,
): Promise<() => Promise<void>> {
  const { functions } = await readService()
  const names = functions.flatMap(({ name, queue }) => (queue ? [nameOf(name)] : []))
  const cutOff = names.filter((_, nth) => nth % 2 === 0)
  const throttled = names.filter((_, nth) => nth % 2 === 1)
  const configure = async (FunctionName: string, as: typeof CUT_OFF): Promise<void> => {
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...as }))
    await waitUntilFunctionUpdatedV2({ client: lambda, maxWaitTime: 120 }, { FunctionName })
  }
  const toCutOff = cutOff.map(async (FunctionName) => {
    const asked = new GetFunctionConfigurationCommand({ FunctionName })
    const { Timeout = 30, MemorySize = 512 } = await lambda.send(asked)
    await configure(FunctionName, CUT_OFF)
    return () => configure(FunctionName, { Timeout, MemorySize })
  })
  const toThrottle = throttled.map(async (FunctionName) => {
    const none = { FunctionName, ReservedConcurrentExecutions: 0 }
    await lambda.send(new PutFunctionConcurrencyCommand(none))
    return async () => {
      await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
    }
  })
  const restores = await Promise.all([...toCutOff, ...toThrottle])
  return async () => void (await Promise.all(restores.map((restore) => restore())))
}
