import { existsSync } from 'node:fs'

/** Where DynamoDB answers in this environment. */
export interface Place {
  readonly protocol: 'https:' | 'http:'
  readonly hostname: string
  /** undefined: the protocol's own. */
  readonly port: number | undefined
  /** The header `host` of each request. */
  readonly host: string
  readonly region: string
}

/** Temporary credentials, as Lambda sets them in the environment of a function. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Each of these changes where the SDK calls, as whom, or how: what it does then is its own affair. `false` sets none of them. A wrapper
 * starts the process under a tracer, which follows the SDK.
 * https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html
 */
const OF_THE_SDK: readonly string[] = `
  AWS_ACCOUNT_ID AWS_ACCOUNT_ID_ENDPOINT_MODE AWS_AUTH_SCHEME_PREFERENCE AWS_CONFIG_FILE
  AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_CREDENTIALS_RELATIVE_URI AWS_CREDENTIAL_EXPIRATION
  AWS_CREDENTIAL_SCOPE AWS_DEFAULTS_MODE AWS_ENABLE_ENDPOINT_DISCOVERY AWS_ENDPOINT_DISCOVERY_ENABLED
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS AWS_LAMBDA_EXEC_WRAPPER AWS_MAX_ATTEMPTS AWS_PROFILE AWS_RETRY_MODE
  AWS_SDK_UA_APP_ID AWS_SHARED_CREDENTIALS_FILE AWS_USE_DUALSTACK_ENDPOINT AWS_USE_FIPS_ENDPOINT
  AWS_WEB_IDENTITY_TOKEN_FILE ALL_PROXY HTTP_PROXY HTTPS_PROXY NODE_USE_ENV_PROXY
`
  .trim()
  .split(/\s+/)

/** The SDK joins both. */
const OF_THE_SDK_IN_HOME = ['config', 'credentials']

/** What may load a tracer, which follows the SDK, or send calls through a proxy. */
const LOADS_MORE = /(^|\s)-r\b|require|import|loader|proxy/

/**
 * @returns undefined: calls go through the SDK, because the environment is not that of a plain Lambda function, or says
 * `LINECLEAR_FAST_PATH=false`
 */
export function plainPlace(env: Environment): Place | undefined {
  const isSet = (name: string): boolean => !['', 'false', undefined].includes(env[name])
  const isPlain =
    // @protects a unit test that sets one variable of Lambda’s reaches the SDK, and its mock
    isSet('AWS_LAMBDA_FUNCTION_NAME') &&
    isSet('LAMBDA_TASK_ROOT') &&
    // The image of a container does not set the first, and no test the second.
    (env['AWS_EXECUTION_ENV']?.startsWith('AWS_Lambda_') === true ||
      isSet('AWS_LAMBDA_RUNTIME_API')) &&
    // @protects one variable turns the calls without the SDK off
    env['LINECLEAR_FAST_PATH'] !== 'false' &&
    // @protects what changes how the SDK calls keeps the calls with it
    !OF_THE_SDK.some((name) => isSet(name) || isSet(name.toLowerCase())) &&
    // @protects a tracer that is loaded at the start sees all calls
    !LOADS_MORE.test(env['NODE_OPTIONS'] ?? '') &&
    // @protects a file that the SDK reads keeps the calls with it
    !OF_THE_SDK_IN_HOME.some((name) => existsSync(`${env['HOME']}/.aws/${name}`))
  const region = env['AWS_REGION'] ?? ''
  if (!isPlain || credentialsIn(env) === undefined) return undefined
  const url = env['AWS_ENDPOINT_URL_DYNAMODB'] ?? env['AWS_ENDPOINT_URL'] ?? urlOf(region)
  return url === undefined ? undefined : placeAt(url, region)
}

/** Read for each call, so that credentials that a test replaces hold from the next call on. */
export function credentialsIn(env: Environment): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, sessionToken: env['AWS_SESSION_TOKEN'] || undefined }
}

/** The commercial Regions and GovCloud, China, and the European Sovereign Cloud; of others the SDK knows the names. */
const DOMAINS: readonly (readonly [regions: RegExp, domain: string])[] = [
  [/^(af|ap|ca|eu|il|me|mx|sa|us|us-gov)-[a-z]+-\d$/, 'amazonaws.com'],
  [/^cn-[a-z]+-\d$/, 'amazonaws.com.cn'],
  [/^eusc-[a-z]+-[a-z]+-\d$/, 'amazonaws.eu'],
]

function urlOf(region: string): string | undefined {
  const [, domain] = DOMAINS.find(([regions]) => regions.test(region)) ?? []
  return domain && `https://dynamodb.${region}.${domain}`
}

function placeAt(url: string, region: string): Place | undefined {
  const [, protocol, name, port] = /^(https?:)\/\/([\w.-]+)(?::(\d+))?\/?$/.exec(url) ?? []
  if (name === undefined || !/^[a-z0-9-]+$/.test(region)) return undefined
  const hostname = name.toLowerCase()
  return {
    protocol: protocol === 'http:' ? 'http:' : 'https:',
    hostname,
    port: port === undefined ? undefined : Number(port),
    host: port === undefined ? hostname : `${hostname}:${port}`,
    region,
  }
}
