import type { Template } from '../../documents/deploy/packaged.ts'

/**
 * Names that ministack 1.5.33 asks for and AWS does not have: there, a batch is the action of its single request
 * (docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html, …/list_amazonsns.html), and PartiQL is allowed
 * by statement (…/list_amazondynamodb.html). Who may do the one may here do the other; nothing else is added.
 */
const ALSO: Readonly<Record<string, string>> = {
  'sqs:SendMessage': 'sqs:SendMessageBatch',
  'sqs:DeleteMessage': 'sqs:DeleteMessageBatch',
  'sqs:ChangeMessageVisibility': 'sqs:ChangeMessageVisibilityBatch',
  'sns:Publish': 'sns:PublishBatch',
  'dynamodb:PartiQLUpdate': 'dynamodb:BatchExecuteStatement',
  'lambda:GetFunctionRecursionConfig': 'lambda:GetFunction',
}

export function withEngineNames(actions: readonly string[]): string[] {
  return actions.flatMap((action) => [action, ALSO[action] ?? []].flat())
}

const UNKNOWN = new Set(['AWS::Logs::QueryDefinition', 'AWS::IAM::RolePolicy'])

/** The packaged template, changed to what this engine accepts. */
export function bridged(template: Template): Template {
  const changed = structuredClone(template)
  for (const [id, resource] of Object.entries(changed.Resources)) {
    // It does not support alarms on metric math.
    if (resource.Type === 'AWS::CloudWatch::Alarm' && 'Metrics' in resource.Properties) {
      delete changed.Resources[id]
    }
    // It knows neither saved queries nor policies of a role that are resources of their own.
    if (UNKNOWN.has(resource.Type)) delete changed.Resources[id]
    // Each invocation at once is a process that starts cold, all of them on this machine.
    if (resource.Type === 'AWS::Lambda::EventSourceMapping') {
      resource.Properties['ScalingConfig'] = { MaximumConcurrency: 2 }
    }
    if (resource.Type === 'AWS::IAM::Role') nameActions(resource.Properties)
    if (/^AWS::(?:SQS::Queue|SNS::Topic|S3::Bucket)Policy$/.test(resource.Type)) {
      allowPlain(resource.Properties['PolicyDocument'] as PolicyDocument)
    }
  }
  return changed
}

interface Statement {
  Effect: string
  Action: string | string[]
  Condition?: Record<string, Record<string, unknown>>
}

interface PolicyDocument {
  Statement: Statement[]
}

/** It answers without TLS. */
function allowPlain(document: PolicyDocument): void {
  document.Statement = document.Statement.filter(
    ({ Effect, Condition }) => Effect !== 'Deny' || !Condition?.['Bool']?.['aws:SecureTransport'],
  )
}

function nameActions(role: Record<string, unknown>): void {
  const policies = role['Policies'] as { PolicyDocument: PolicyDocument }[]
  for (const { PolicyDocument } of policies) {
    for (const statement of PolicyDocument.Statement) {
      statement.Action = withEngineNames([statement.Action].flat())
      // Requests have no `dynamodb:LeadingKeys` here. Of none, what is said of all is true; that there is one, is not.
      delete statement.Condition?.['Null']
    }
  }
}
