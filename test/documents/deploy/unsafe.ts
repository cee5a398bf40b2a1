import type { Template } from './packaged.ts'

interface Resource {
  readonly id: string
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
}

interface Statement {
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource?: unknown
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Functions whose handlers verify a signature, and functions that work on the items of all others. */
export interface Known {
  readonly signed: ReadonlySet<string>
  readonly unlimited: ReadonlySet<string>
}

/** What in a template is open to strangers, readable on its way or at rest, or kept for ever. */
export function unsafeIn(template: Template, known: Known): string[] {
  const all = Object.entries(template.Resources).map(([id, { Type, Properties }]) => ({
    id,
    type: Type,
    properties: Properties ?? {},
  }))
  return [
    ...openRoutes(all, known),
    ...unlimitedStages(all),
    ...plainTransport(all),
    ...unencrypted(all),
    ...keptForEver(all),
    ...itemsOfOthers(all, known),
    ...literalSecrets(all),
  ]
}

const ofType = (all: readonly Resource[], type: string): Resource[] =>
  all.filter((each) => each.type === type)

function openRoutes(all: readonly Resource[], { signed }: Known): string[] {
  const functions = ofType(all, 'AWS::Lambda::Function').map(({ id }) => id)
  const integrations = new Map(all.map((each) => [each.id, JSON.stringify(each.properties)]))
  return ofType(all, 'AWS::ApiGatewayV2::Route').flatMap(({ id, properties }) => {
    const { AuthorizationType, AuthorizerId, Target } = properties
    if (AuthorizationType === 'AWS_IAM') return []
    const isNamed = AuthorizationType === 'JWT' || AuthorizationType === 'CUSTOM'
    if (isNamed && AuthorizerId !== undefined) return []
    const target = [...integrations].find(([name]) => JSON.stringify(Target).includes(`"${name}"`))
    const called = functions.filter((name) => target?.[1].includes(`"${name}"`))
    const isSigned = called.length === 1 && called.every((name) => signed.has(name))
    return isSigned ? [] : [`${id}: anyone may call it`]
  })
}

const READS_PAYLOAD =
  /\$context\.(?:authorizer\.claims|path\b)|\$(?:request|input)\b|body|header|query/i

function unlimitedStages(all: readonly Resource[]): string[] {
  return ofType(all, 'AWS::ApiGatewayV2::Stage').flatMap(({ id, properties }) => {
    const { DefaultRouteSettings, AccessLogSettings } = properties as Readonly<
      Record<string, Readonly<Record<string, unknown>> | undefined>
    >
    const limits = [
      DefaultRouteSettings?.['ThrottlingRateLimit'],
      DefaultRouteSettings?.['ThrottlingBurstLimit'],
    ]
    const format = AccessLogSettings?.['Format']
    return [
      ...(limits.every((limit) => Number(limit) > 0) ? [] : [`${id}: no throttling`]),
      ...(typeof format === 'string' && isJson(format) ? [] : [`${id}: no access log of JSON`]),
      ...(READS_PAYLOAD.test(String(format)) ? [`${id}: its access log holds payloads`] : []),
    ]
  })
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** A queue, topic or bucket takes requests without TLS, unless a policy of its own denies them. */
function plainTransport(all: readonly Resource[]): string[] {
  const closed = new Set(
    all.flatMap(({ type, properties }) => {
      const targets = TARGETS[type]
      if (targets === undefined) return []
      const { Statement = [] } = properties['PolicyDocument'] as { Statement?: Statement[] }
      return Statement.some(deniesPlain) ? refsIn(properties[targets]) : []
    }),
  )
  return all
    .filter(({ type }) => POLICED.has(type))
    .filter(({ id }) => !closed.has(id))
    .map(({ id }) => `${id}: takes requests without TLS`)
}

const POLICED = new Set(['AWS::SQS::Queue', 'AWS::SNS::Topic', 'AWS::S3::Bucket'])
/** The property that names to what a policy applies. */
const TARGETS: Readonly<Record<string, string>> = {
  'AWS::SQS::QueuePolicy': 'Queues',
  'AWS::SNS::TopicPolicy': 'Topics',
  'AWS::S3::BucketPolicy': 'Bucket',
}

function deniesPlain({ Effect, Action, Condition }: Statement): boolean {
  const isWide = [Action].flat().some((each) => /^(?:s3|sqs):\*$|^sns:Publish$/.test(each))
  return (
    Effect === 'Deny' && isWide && String(Condition?.['Bool']?.['aws:SecureTransport']) === 'false'
  )
}

function refsIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"Ref":"(\w+)"/g)].map(([, id = '']) => id)
}

/** DynamoDB, CloudWatch Logs and Secrets Manager encrypt always. */
const ENCRYPTED_BY: Readonly<Record<string, readonly string[]>> = {
  'AWS::SQS::Queue': ['SqsManagedSseEnabled', 'KmsMasterKeyId'],
  'AWS::SNS::Topic': ['KmsMasterKeyId'],
  'AWS::S3::Bucket': ['BucketEncryption'],
}

/** Alarms cannot use the account's key of SNS, and say nothing of a payload. */
const NOT_ENCRYPTED = new Set(['AlarmTopic'])

function unencrypted(all: readonly Resource[]): string[] {
  return all.flatMap(({ id, type, properties }) => {
    const by = ENCRYPTED_BY[type]
    if (by === undefined || NOT_ENCRYPTED.has(id)) return []
    return by.some((name) => Boolean(properties[name])) ? [] : [`${id}: not encrypted`]
  })
}

function keptForEver(all: readonly Resource[]): string[] {
  return ofType(all, 'AWS::Logs::LogGroup')
    .filter(({ properties }) => !(Number(properties['RetentionInDays']) > 0))
    .map(({ id }) => `${id}: its lines are kept for ever`)
}

/** A role touches items of the framework's table under prefixes of its own only. */
function itemsOfOthers(all: readonly Resource[], { unlimited }: Known): string[] {
  return ofType(all, 'AWS::IAM::Role')
    .filter(({ id }) => !unlimited.has(id))
    .flatMap(({ id, properties }) => {
      const wide = statementsOf(properties).filter(
        (statement) => touchesTable(statement) && !isLimited(statement),
      )
      return wide.map(({ Action }) => `${id}: ${[Action].flat().join()} on items of all`)
    })
}

export function statementsOf(properties: Readonly<Record<string, unknown>>): Statement[] {
  const policies = (properties['Policies'] ?? []) as {
    readonly PolicyDocument: { readonly Statement: Statement[] }
  }[]
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
}

function touchesTable({ Resource }: Statement): boolean {
  return JSON.stringify(Resource)?.includes('LineclearTable') ?? false
}

/** Of a request without a key `ForAllValues` would be true. */
function isLimited(statement: Statement): boolean {
  const { Condition = {} } = statement
  const isNamed = String(Condition['Null']?.['dynamodb:LeadingKeys']) === 'false'
  const prefixes = prefixesOf(statement)
  return prefixes.length > 0 && prefixes.every(isOwn) && isNamed
}

/** A kind of item and a name, so that `orders` does not open `orders-archive`. Delayed messages have ids of chance, and circuits are one row each. */
function isOwn(prefix: string): boolean {
  return /^(?:lock|flow|await|key|once)#[\w.-]+[/@]\*$|^later#\*$|^circuits$/.test(prefix)
}

export function prefixesOf({ Condition = {} }: Statement): string[] {
  const keys = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []
  return [keys].flat().map(String)
}

const SECRET = /SECRET|PASSWORD|TOKEN|CREDENTIAL|API_?KEY|DATABASE_URL/

function literalSecrets(all: readonly Resource[]): string[] {
  return ofType(all, 'AWS::Lambda::Function').flatMap(({ id, properties }) => {
    const { Variables = {} } = (properties['Environment'] ?? {}) as {
      readonly Variables?: Readonly<Record<string, unknown>>
    }
    return Object.entries(Variables)
      .filter(([name]) => SECRET.test(name))
      .filter(([, value]) => !JSON.stringify(value).includes('{{resolve:secretsmanager:${'))
      .map(([name]) => `${id}: ${name} is no reference to a secret`)
  })
}
