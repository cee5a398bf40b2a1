import type { Template } from './packaged.ts'

type Properties = Record<string, unknown>
type Plant = (of: (id: string) => Properties, resources: Template['Resources']) => void

/** Planted mistakes in a template: the rule that has to find it, the change, and its name. */
export const planted: readonly (readonly [rule: string, plant: Plant, words: string])[] = [
  ['visibility-timeout', set('OrdersQueue', 'VisibilityTimeout', 179), 'below six timeouts'],
  ['visibility-timeout', set('OrdersLambdaFunction', 'Timeout', 31), 'a longer timeout'],
  ['visibility-timeout', set(mapping(), 'MaximumBatchingWindowInSeconds', 1), 'a window'],
  ['source-retention', set('OrdersQueue', 'MessageRetentionPeriod', 1_800), 'expires first'],
  ['queue-encryption', set('OrdersQueue', 'SqsManagedSseEnabled', false), 'not encrypted'],
  ['dead-letter-queue', unset('OrdersQueue', 'RedrivePolicy'), 'none'],
  ['max-receive-count', into('OrdersQueue', 'RedrivePolicy', 'maxReceiveCount', 9), 'nine'],
  ['dead-letter-retention', set('OrdersDeadLetters', 'MessageRetentionPeriod', 345_600), '4 days'],
  ['dead-letter-retention', set('OrdersQueue', 'MessageRetentionPeriod', 1_209_600), 'equal'],
  ['redrive-allow', unset('OrdersDeadLetters', 'RedriveAllowPolicy'), 'any queue'],
  ['redrive-allow', into('OrdersDeadLetters', 'RedriveAllowPolicy', 'sourceQueueArns', []), 'none'],
  ['partial-failures', unset(mapping(), 'FunctionResponseTypes'), 'ignored'],
  ['mapping-disabled', set(mapping(), 'Enabled', false), 'disabled'],
  ['maximum-concurrency', unset(mapping(), 'ScalingConfig'), 'unlimited'],
  [
    'function-timeout',
    (of) => {
      const LambdaManagedInstancesCapacityProviderConfig = { CapacityProviderArn: 'arn' }
      const CapacityProviderConfig = { LambdaManagedInstancesCapacityProviderConfig }
      Object.assign(of('OrdersLambdaFunction'), { Timeout: 901, CapacityProviderConfig })
    },
    'long on a capacity provider',
  ],
  [
    'instance-concurrency',
    set('OrdersLambdaFunction', 'CapacityProviderConfig', {
      LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: 'arn' },
    }),
    'as many as the default allows',
  ],
  [
    'durable-consumer',
    set('OrdersLambdaFunction', 'DurableConfig', { ExecutionTimeout: 3_600 }),
    'a durable consumer',
  ],
  [
    'tenant-isolation',
    set('OrdersLambdaFunction', 'TenancyConfig', { TenantIsolationMode: 'PER_TENANT' }),
    'tenants behind a mapping',
  ],
  ['recursion', set('OrdersLambdaFunction', 'RecursiveLoop', 'Allow'), 'unlimited chains'],
  [
    'event-filter',
    set(mapping(), 'FilterCriteria', {
      Filters: [{ Pattern: '{"messageAttributes":{"lineclear":[{"exists":false}]}}' }],
    }),
    'refuses copies',
  ],
  ['subscription-dead-letter', unset('OrdersSubscription', 'RedrivePolicy'), 'none'],
  ['raw-delivery', set('OrdersSubscription', 'RawMessageDelivery', true), 'raw'],
  ['queue-policy', remove('OrdersQueuePolicy'), 'none'],
  ['queue-policy', statement('OrdersQueuePolicy', { Condition: undefined }), 'any topic'],
  ['queue-policy', remove('OrdersUndeliveredPolicy'), 'none for the undelivered'],
  ['queue-key', set('OrdersQueue', 'KmsMasterKeyId', 'alias/aws/sqs'), 'a key that SNS cannot use'],
  ['table', remove('LineclearTable'), 'none'],
  ['table-keys', set('LineclearTable', 'KeySchema', [key('id', 'HASH')]), 'other keys'],
  ['table-ttl', unset('LineclearTable', 'TimeToLiveSpecification'), 'none'],
  ['table-ttl', into('LineclearTable', 'TimeToLiveSpecification', 'AttributeName', 'x'), 'other'],
  ['table-recovery', unset('LineclearTable', 'PointInTimeRecoverySpecification'), 'off'],
  ['table-deletion', unset('LineclearTable', 'DeletionProtectionEnabled'), 'off'],
  ['table-index', unset('LineclearTable', 'GlobalSecondaryIndexes'), 'none'],
  ['table-billing', unset('LineclearTable', 'BillingMode'), 'provisioned'],
  ['permissions-missing', grant('OrdersRole', 1, { Action: ['sqs:ReceiveMessage'] }), 'too few'],
  ['permissions-wide', grant('OrdersRole', 3, { Action: 'dynamodb:*' }), 'every action'],
  ['permissions-wide', grant('OrdersRole', 1, { Resource: '*' }), 'every queue'],
  ['permissions-wide', grant('OrdersRole', 3, { Action: ['dynamodb:Scan'] }), 'a scan'],
  [
    'role-per-function',
    set('OrdersLambdaFunction', 'Role', { 'Fn::GetAtt': ['ChargeRole', 'Arn'] }),
    'shared',
  ],
  ['dead-letter-alarm', remove('OrdersDeadLettersAlarm'), 'none'],
  [
    'dead-letter-alarm',
    set('OrdersUndeliveredAlarm', 'MetricName', 'NumberOfMessagesSent'),
    'counts what was sent',
  ],
  ['age-alarm', remove('OrdersAgeAlarm'), 'none'],
  ['recursion-alarm', remove('OrdersRecursionAlarm'), 'none'],
  ['sweeper-alarm', remove('SweeperSilentAlarm'), 'silence raises no alarm'],
  ['sweeper-alarm', remove('WaitingForOperatorAlarm'), 'no operator is asked'],
  ['delays-sweeper', remove('SweeperEventsRuleSchedule1'), 'nothing calls the sweeper'],
  ['delays-sweeper', grant('SweeperRole', 2, { Action: ['dynamodb:GetItem'] }), 'it may not look'],
  ['alarm-actions', unset('OrdersAgeAlarm', 'AlarmActions'), 'notifies no one'],
  ['event-queue-policy', remove('ParcelsQueuePolicy'), 'none for the rule'],
  ['event-queue-policy', remove('ParcelsUndeliveredPolicy'), 'none for what it cannot deliver'],
  [
    'event-queue-policy',
    statement('UploadsQueuePolicy', {
      Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:s3:::others' } },
    }),
    'another bucket',
  ],
  ['queue-open', statement('ParcelsQueuePolicy', { Condition: undefined }), 'any rule'],
  ['queue-open', statement('UploadsQueuePolicy', { Condition: {} }), 'any bucket'],
  [
    'queue-open',
    statement('OrdersQueuePolicy', { Principal: { AWS: '*' }, Condition: undefined }),
    'anyone',
  ],
  ['event-dead-letter', target('ParcelsRule', { DeadLetterConfig: undefined }), 'none'],
  [
    'event-dead-letter',
    target('ParcelsRule', {
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['ParcelsDeadLetters', 'Arn'] } },
    }),
    'that of the queue',
  ],
  ['event-queue-key', set('UploadsQueue', 'KmsMasterKeyId', 'alias/aws/sqs'), 'a key of AWS'],
  ['failure-destination', remove('SettlementLambdaEvConf'), 'none'],
  [
    'failure-destination-permission',
    grant('SettlementRole', 3, { Action: ['sqs:GetQueueUrl'] }),
    'it may not send',
  ],
  ['vpc-permissions', set('OrdersLambdaFunction', 'VpcConfig', { SubnetIds: ['a'] }), 'in a VPC'],
  ['payloads-lifecycle', unset('PayloadsBucket', 'LifecycleConfiguration'), 'none'],
  ['payloads-lifecycle', lifecycle({ Status: 'Disabled' }), 'switched off'],
  ['payloads-lifecycle', lifecycle({ Prefix: 'others/' }), 'for others'],
  ['payloads-expire-early', lifecycle({ ExpirationInDays: 14 }), 'while a dead letter waits'],
  ['payloads-permissions', grant('ArchiveRole', 6, { Action: ['s3:GetObject'] }), 'reads only'],
]

function mapping(): string {
  return 'OrdersEventSourceMappingSQSOrdersQueue'
}

function set(id: string, name: string, value: unknown): Plant {
  return (of) => {
    of(id)[name] = value
  }
}

function unset(id: string, name: string): Plant {
  return (of) => {
    delete of(id)[name]
  }
}

function into(id: string, name: string, inner: string, value: unknown): Plant {
  return (of) => {
    Object.assign(of(id)[name] as object, { [inner]: value })
  }
}

function remove(id: string): Plant {
  return (of, resources) => {
    of(id)
    delete resources[id]
  }
}

function statement(id: string, change: object): Plant {
  return (of) => {
    const { Statement } = of(id)['PolicyDocument'] as { Statement: object[] }
    Object.assign(Statement[0] ?? {}, change)
  }
}

function target(id: string, change: object): Plant {
  return (of) => {
    const [first] = of(id)['Targets'] as object[]
    Object.assign(first ?? {}, change)
  }
}

function lifecycle(change: object): Plant {
  return (of) => {
    const { Rules } = of('PayloadsBucket')['LifecycleConfiguration'] as { Rules: object[] }
    Object.assign(Rules[0] ?? {}, change)
  }
}

function grant(id: string, index: number, change: object): Plant {
  return (of) => {
    const [policy] = of(id)['Policies'] as { PolicyDocument: { Statement: object[] } }[]
    Object.assign(policy?.PolicyDocument.Statement[index] ?? {}, change)
  }
}

function key(AttributeName: string, KeyType: string): object {
  return { AttributeName, KeyType }
}
