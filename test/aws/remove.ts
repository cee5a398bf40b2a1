import { setTimeout as sleep } from 'node:timers/promises'
import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation'
import {
  CloudWatchLogsClient,
  DeleteLogGroupCommand,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs'
import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import { clearDesk } from './checks/desk.ts'
import { type Account, clientsOf, probeStackOf, resourcesOf, stackOf } from './places/deployed.ts'

const WITHIN_MS = 40 * 60_000
/** So often a deletion is begun anew that CloudFormation has given up. */
const TRIES = 3

export function prefixOf(stage: string): string {
  return `${stackOf(stage)}-run-`
}

/** @returns what is left all the same */
export async function removeAll(account: Account, stage: string): Promise<readonly string[]> {
  const parts = [
    clearDesk(clientsOf(account), prefixOf(stage)).then(() => []),
    removeStack(account, probeStackOf(stage)),
    removeStack(account, stackOf(stage)),
  ]
  const left = await Promise.allSettled(parts)
  const logs = await removeLogs(account, stackOf(stage))
  return [
    ...left.flatMap((part) => (part.status === 'fulfilled' ? part.value : [String(part.reason)])),
    ...logs,
  ]
}

async function removeStack(account: Account, StackName: string): Promise<readonly string[]> {
  const client = new CloudFormationClient(account)
  const until = Date.now() + WITHIN_MS
  let tries = 0
  while (Date.now() < until) {
    const status = (await findStack(client, StackName))?.StackStatus
    if (status === undefined || status === 'DELETE_COMPLETE') return []
    if (status === 'DELETE_FAILED' && tries >= TRIES) break
    // Refused while an update is under way, which ends by itself.
    if (status !== 'DELETE_IN_PROGRESS') {
      await emptyBuckets(account, await resourcesOf(client, StackName))
      const isBegun = await client.send(new DeleteStackCommand({ StackName })).then(
        () => true,
        () => false,
      )
      if (isBegun) tries += 1
    }
    await sleep(account.endpoint === undefined ? 5_000 : 500)
  }
  return [`stack ${StackName}`, ...(await leftIn(client, StackName))]
}

/** undefined: there is none. */
export async function findStack(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }))
    return Stacks[0]
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined
    throw error
  }
}

async function leftIn(client: CloudFormationClient, StackName: string): Promise<string[]> {
  const left: string[] = []
  for await (const page of paginateListStackResources({ client }, { StackName })) {
    for (const each of page.StackResourceSummaries ?? []) {
      if (each.ResourceStatus === 'DELETE_COMPLETE') continue
      left.push(`${each.ResourceType} ${each.PhysicalResourceId}: ${each.ResourceStatusReason}`)
    }
  }
  return left
}

/** CloudFormation deletes no bucket with objects in it. */
async function emptyBuckets(
  account: Account,
  resources: ReadonlyMap<string, string>,
): Promise<void> {
  const client = new S3Client({ ...account, forcePathStyle: account.endpoint !== undefined })
  const buckets = [...resources].filter(([id, name]) => id.endsWith('Bucket') && name !== '')
  for (const [, Bucket] of buckets) {
    try {
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
        const Objects = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]))
        if (Objects.length === 0) continue
        await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
      }
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'NoSuchBucket') throw error
    }
  }
}

/** A function that ended after its log group was deleted has made it again. */
async function removeLogs(account: Account, stack: string): Promise<readonly string[]> {
  const client = new CloudWatchLogsClient(account)
  const prefix = { logGroupNamePrefix: `/aws/lambda/${stack}-` }
  try {
    for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, prefix)) {
      for (const { logGroupName } of logGroups) {
        await client.send(new DeleteLogGroupCommand({ logGroupName }))
      }
    }
    return []
  } catch (error) {
    return [`log groups ${prefix.logGroupNamePrefix}*: ${String(error)}`]
  }
}
