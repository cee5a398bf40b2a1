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

/** The packaged template, changed to what this engine accepts. */
export function bridged(template: Template): Template {
  const changed = structuredClone(template)
  for (const [id, resource] of Object.entries(changed.Resources)) {
    // It does not support alarms on metric math.
    if (resource.Type === 'AWS::CloudWatch::Alarm' && 'Metrics' in resource.Properties) {
      delete changed.Resources[id]
    }
    // It does not know saved queries.
    if (resource.Type === 'AWS::Logs::QueryDefinition') delete changed.Resources[id]
    // Each invocation at once is a process that starts cold, all of them on this machine.
    if (resource.Type === 'AWS::Lambda::EventSourceMapping') {
      resource.Properties['ScalingConfig'] = { MaximumConcurrency: 2 }
    }
    if (resource.Type === 'AWS::IAM::Role') nameActions(resource.Properties)
  }
  return changed
}

interface Statement {
  Action: string | string[]
}

function nameActions(role: Record<string, unknown>): void {
  const policies = role['Policies'] as { PolicyDocument: { Statement: Statement[] } }[]
  for (const { PolicyDocument } of policies) {
    for (const statement of PolicyDocument.Statement) {
      statement.Action = withEngineNames([statement.Action].flat())
    }
  }
}
