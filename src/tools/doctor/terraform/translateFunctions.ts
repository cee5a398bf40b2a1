import { textOf } from '../template/resolve.ts'
import type { Translated, Translation } from './translation.ts'
import { type Attributes, texts } from './attributes.ts'

export function lambdaFunction({ id, of }: Translation): readonly Translated[] {
  const TargetArn = of.block('dead_letter_config')?.to('target_arn')
  const managed = of
    .block('capacity_provider_config')
    ?.block('lambda_managed_instances_capacity_provider_config')
  const most = managed?.get('per_execution_environment_max_concurrency')
  const isolation = of.block('tenancy_config')?.get('tenant_isolation_mode')
  return [
    {
      id,
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: of.get('function_name'),
        Timeout: of.get('timeout'),
        Runtime: of.get('runtime'),
        Role: of.to('role'),
        ...(TargetArn === undefined ? {} : { DeadLetterConfig: { TargetArn } }),
        ...(managed && {
          CapacityProviderConfig: {
            LambdaManagedInstancesCapacityProviderConfig:
              most === undefined ? {} : { PerExecutionEnvironmentMaxConcurrency: most },
          },
        }),
        ...(of.block('durable_config') && { DurableConfig: {} }),
        ...(isolation === undefined ? {} : { TenancyConfig: { TenantIsolationMode: isolation } }),
      },
    },
  ]
}

export function alias({ id, of }: Translation): readonly Translated[] {
  const Properties = { FunctionName: of.to('function_name') }
  return [{ id, Type: 'AWS::Lambda::Alias', Properties }]
}

export function invokeConfig({ id, of }: Translation): readonly Translated[] {
  const failed = of.block('destination_config')?.block('on_failure')
  const Destination = failed?.to('destination')
  const Properties = {
    FunctionName: of.to('function_name'),
    DestinationConfig: { OnFailure: { Destination } },
  }
  return [{ id, Type: 'AWS::Lambda::EventInvokeConfig', Properties }]
}

export function mapping({ id, of }: Translation): readonly Translated[] {
  const filters = of.block('filter_criteria')?.blocks('filter') ?? []
  const most = of.block('scaling_config')?.get('maximum_concurrency')
  const pollers = of.block('provisioned_poller_config')
  return [
    {
      id,
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: of.to('event_source_arn'),
        FunctionName: of.to('function_name'),
        Enabled: of.get('enabled'),
        BatchSize: of.get('batch_size'),
        MaximumBatchingWindowInSeconds: of.get('maximum_batching_window_in_seconds'),
        FunctionResponseTypes: of.get('function_response_types'),
        FilterCriteria: { Filters: filters.map((each) => ({ Pattern: each.get('pattern') })) },
        ...(most === undefined ? {} : { ScalingConfig: { MaximumConcurrency: most } }),
        ...(pollers === undefined ? {} : { ProvisionedPollerConfig: {} }),
      },
    },
  ]
}

export function role({ id, of, document }: Translation): readonly Translated[] {
  const inline = of.blocks('inline_policy').filter((each) => each.get('policy') !== undefined)
  return [
    {
      id,
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: of.get('name'),
        ManagedPolicyArns: of.get('managed_policy_arns'),
        Policies: inline.map((each) => ({ PolicyDocument: document('policy', each) })),
      },
    },
  ]
}

export function rolePolicy({ id, of, document }: Translation): readonly Translated[] {
  const Properties = { Roles: [of.to('role')], PolicyDocument: document('policy') }
  return [{ id, Type: 'AWS::IAM::Policy', Properties }]
}

export function attachment({ id, of, document, other }: Translation): readonly Translated[] {
  const policy = textOf(of.to('policy_arn'))
  const roles = of.instance.type === 'aws_iam_policy_attachment' ? rolesOf(of) : [of.to('role')]
  const own = other(policy)
  if (own?.instance.type === 'aws_iam_policy') {
    const Properties = { Roles: roles, PolicyDocument: document('policy', own) }
    return [{ id, Type: 'AWS::IAM::Policy', Properties }]
  }
  return roles.map((each) => ({
    into: textOf(each),
    Properties: { ManagedPolicyArns: [policy] },
  }))
}

function rolesOf(of: Attributes): readonly string[] {
  const referred = of.all('roles')
  return referred.length > 0 ? referred : texts(of.get('roles'))
}
