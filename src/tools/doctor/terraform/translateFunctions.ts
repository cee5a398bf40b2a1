import type { Translated, Translation } from './translation.ts'

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
