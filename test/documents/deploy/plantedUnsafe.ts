import type { Template } from './packaged.ts'

type Properties = Record<string, unknown>
type Plant = (of: (id: string) => Properties, resources: Template['Resources']) => void

/** Doors opened in a template: what has to be found, and the change. */
export const plantedUnsafe: readonly (readonly [finding: string, plant: Plant])[] = [
  [
    'HttpApiRoutePostPayments: anyone may call it',
    (of) => void delete of('HttpApiRoutePostPayments')['AuthorizationType'],
  ],
  [
    'HttpApiRoutePostRefunds: anyone may call it',
    (of) => void Object.assign(of('HttpApiRoutePostRefunds'), { AuthorizationType: 'JWT' }),
  ],
  [
    'HttpApiRoutePostCallbacks: anyone may call it',
    (of) => {
      const { Target } = of('HttpApiRoutePostPayments')
      Object.assign(of('HttpApiRoutePostCallbacks'), { Target })
    },
  ],
  ['HttpApiStage: no throttling', (of) => void delete of('HttpApiStage')['DefaultRouteSettings']],
  [
    'HttpApiStage: no access log of JSON',
    (of) => void delete of('HttpApiStage')['AccessLogSettings'],
  ],
  [
    'HttpApiStage: its access log holds payloads',
    (of) => {
      const log = of('HttpApiStage')['AccessLogSettings'] as Properties
      log['Format'] = '{"q":"$context.requestOverride.querystring.a"}'
    },
  ],
  ['OrdersQueue: takes requests without TLS', firstStatementOnly('OrdersQueuePolicy')],
  ['PaidTopic: takes requests without TLS', (_, all) => void delete all['PaidTopicPolicy']],
  ['UploadsBucket: takes requests without TLS', (_, all) => void delete all['UploadsBucketPolicy']],
  [
    'ChargeDeadLetters: takes requests without TLS',
    (of) => {
      const queues = of('QueuesOverTls')['Queues'] as { Ref: string }[]
      of('QueuesOverTls')['Queues'] = queues.filter(({ Ref }) => Ref !== 'ChargeDeadLetters')
    },
  ],
  ['OrdersTopic: not encrypted', (of) => void delete of('OrdersTopic')['KmsMasterKeyId']],
  ['UploadsBucket: not encrypted', (of) => void delete of('UploadsBucket')['BucketEncryption']],
  [
    'AirlineQueue: not encrypted',
    (of) => void Object.assign(of('AirlineQueue'), { SqsManagedSseEnabled: false }),
  ],
  [
    'OrdersLogGroup: its lines are kept for ever',
    (of) => void delete of('OrdersLogGroup')['RetentionInDays'],
  ],
  ['OrdersRole: dynamodb:PartiQLInsert,dynamodb:PartiQLUpdate on items of all', limit(4, {})],
  [
    `OrdersRole: ${itemActions()} on items of all`,
    limit(3, { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['lock#orders/*'] } }),
  ],
  [
    `OrdersRole: ${itemActions()} on items of all`,
    limit(3, {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['lock#orders*'] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    }),
  ],
  [
    'CallbacksLambdaFunction: WEBHOOK_SECRETS is no reference to a secret',
    (of) => {
      const { Variables } = of('CallbacksLambdaFunction')['Environment'] as {
        Variables: Properties
      }
      Variables['WEBHOOK_SECRETS'] = '{"current":"c"}'
    },
  ],
]

function itemActions(): string {
  const actions = ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem']
  return actions.map((action) => `dynamodb:${action}`).join()
}

function firstStatementOnly(id: string): Plant {
  return (of) => {
    const document = of(id)['PolicyDocument'] as { Statement: unknown[] }
    document.Statement = document.Statement.slice(0, 1)
  }
}

function limit(nth: number, Condition: object): Plant {
  return (of) => {
    const [policy] = of('OrdersRole')['Policies'] as {
      PolicyDocument: { Statement: Properties[] }
    }[]
    Object.assign(policy?.PolicyDocument.Statement[nth] ?? {}, { Condition })
  }
}
