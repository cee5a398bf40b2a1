import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CloudFormationClient,
  CreateStackCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation'
import { SQSClient } from '@aws-sdk/client-sqs'
import { packageService, type Packaged, type Template } from '../documents/deploy/packaged.ts'
import type { Deployment } from './carryOut.ts'
import type { Answered } from './checks/desk.ts'
import {
  type Account,
  type Deployed,
  environmentOf,
  openDeployed,
  probeStackOf,
  resourcesOf,
  stackOf,
} from './places/deployed.ts'
import type { Place } from './places/place.ts'
import { answeredBy, PROBE } from './places/probe.ts'
import { removeAll } from './remove.ts'

export interface DeploymentOptions extends Omit<Deployed, 'answered'> {
  readonly account: Account
  readonly stage: string
  readonly service: Packaged
  readonly stop: AbortSignal
  readonly say: (line: string) => void
  /** Changes the template to what an engine accepts. Default: AWS gets it as it is. */
  readonly bridge?: (template: Template) => Template
}

/** A new one takes AWS ten minutes. */
const DEPLOY_MS = 45 * 60_000

/** serverless.yml under a stage of its own, packaged already. */
export function deploymentOf(options: DeploymentOptions): Deployment {
  const { account, stage, service, stop, say, bridge = (template) => template } = options
  let deploying: Promise<Place> | undefined
  const deploy = async (): Promise<Place> => {
    changeTemplate(service.folder, (template) => removable(bridge(template)))
    say(`Deploying ${stackOf(stage)} …`)
    const environment = { ...(await environmentOf(account)), CI: 'true' }
    await service.deploy(environment, { limitMs: DEPLOY_MS, stop })
    stop.throwIfAborted()
    return openDeployed({ ...options, answered: await deployProbe(account, stage) })
  }
  return {
    byHand: `npm run aws -- --remove --stage ${stage} --region ${account.region}`,
    deploy: () => (deploying = deploy()),
    async remove() {
      // An osls that goes on would make anew what is deleted.
      await deploying?.catch(() => {})
      return removeAll(account, stage)
    },
  }
}

export function packageStage(stage: string, region: string): Promise<Packaged> {
  return packageService(['--stage', stage, '--region', region])
}

/** The template that osls sends is in the state of the package. */
export function changeTemplate(folder: string, change: (template: Template) => Template): void {
  const file = join(folder, 'serverless-state.json')
  const state = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly service: { readonly provider: { compiledCloudFormationTemplate: Template } }
  }
  const { provider } = state.service
  provider.compiledCloudFormationTemplate = change(provider.compiledCloudFormationTemplate)
  writeFileSync(file, JSON.stringify(state))
}

/** Nothing of it outlives its stack: what a user keeps, a rehearsal does not. */
export function removable(template: Template): Template {
  const changed = structuredClone(template)
  for (const resource of Object.values<object>(changed.Resources)) {
    Object.assign(resource, { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' })
    const { Properties } = resource as { readonly Properties?: Record<string, unknown> }
    if (Properties?.['DeletionProtectionEnabled'] !== undefined) {
      Properties['DeletionProtectionEnabled'] = false
    }
  }
  return changed
}

/** A function that answers its queue as it is told. undefined: the engine has no stack for it. */
async function deployProbe(account: Account, stage: string): Promise<Answered | undefined> {
  const client = new CloudFormationClient(account)
  const StackName = probeStackOf(stage)
  const TemplateBody = JSON.stringify(probeTemplate(StackName))
  const Capabilities = ['CAPABILITY_IAM' as const]
  await client.send(new CreateStackCommand({ StackName, TemplateBody, Capabilities }))
  await waitUntilStackCreateComplete({ client, maxWaitTime: 600 }, { StackName })
  const made = await resourcesOf(client, StackName)
  const queues = { queue: made.get('Queue') ?? '', dead: made.get('Dead') ?? '' }
  // A new mapping takes up to a minute to begin.
  await sleep(account.endpoint === undefined ? 60_000 : 0)
  return answeredBy(new SQSClient(account), queues, 7_000)
}

const AT = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] })

function probeTemplate(FunctionName: string): object {
  const RedrivePolicy = { deadLetterTargetArn: AT('Dead'), maxReceiveCount: 2 }
  const Statement = [
    { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
  ]
  const allowed = {
    Effect: 'Allow',
    Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    Resource: AT('Queue'),
  }
  const PolicyDocument = { Version: '2012-10-17', Statement: [allowed] }
  return {
    Resources: {
      Dead: { Type: 'AWS::SQS::Queue' },
      Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 6, RedrivePolicy } },
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: { Version: '2012-10-17', Statement },
          Policies: [{ PolicyName: 'own', PolicyDocument }],
        },
      },
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          FunctionName,
          Runtime: 'nodejs24.x',
          Handler: 'index.handler',
          Timeout: 3,
          Role: AT('Role'),
          Code: { ZipFile: PROBE },
        },
      },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          EventSourceArn: AT('Queue'),
          FunctionName: { Ref: 'Function' },
          BatchSize: 1,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
        },
      },
    },
  }
}
