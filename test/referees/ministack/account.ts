import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  IAMClient,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam'
import { type Account, openDeployed } from '../../aws/places/deployed.ts'
import type { Place } from '../../aws/places/place.ts'
import { withEngineNames } from './bridge.ts'
import { REGION, ROOT_KEY } from './startMinistack.ts'

export interface Key {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** What the SDK takes from the environment. */
export function environmentOf(endpoint: string, key: Key): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  }
}

/** The account's root. */
export function rootAccount(endpoint: string): Account {
  return { endpoint, region: REGION, credentials: () => Promise.resolve(ROOT_KEY) }
}

/** A user with these permissions, and no others. */
export async function createUser(
  endpoint: string,
  UserName: string,
  actions: readonly string[],
): Promise<Key> {
  const iam = new IAMClient({ endpoint, region: REGION, credentials: ROOT_KEY })
  await iam.send(new CreateUserCommand({ UserName }))
  const PolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: withEngineNames(actions), Resource: '*' }],
  })
  await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'own', PolicyDocument }))
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }))
  iam.destroy()
  return {
    accessKeyId: AccessKey?.AccessKeyId ?? '',
    secretAccessKey: AccessKey?.SecretAccessKey ?? '',
  }
}

/** serverless.yml, as `setup.ts` has deployed it. */
export function openDev(endpoint: string, caller: Key): Promise<Place> {
  const account = rootAccount(endpoint)
  return openDeployed({ account, stage: 'dev', caller, api: (url) => apiAt(endpoint, url) })
}

/** Where this engine answers for an API that CloudFormation has made. */
export function apiAt(endpoint: string, url: string): string {
  const [id = ''] = new URL(url).hostname.split('.')
  return `${endpoint}/_aws/execute-api/${id}/$default`
}
