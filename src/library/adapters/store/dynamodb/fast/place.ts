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
 * What changes where the SDK calls, as whom, or how: what it does then is its own affair, as with a value that it does not know. Credentials
 * of a container or a web identity are not listed, because the SDK takes those of the environment first, nor are certificates: Node reads
 * NODE_EXTRA_CA_CERTS, and the SDK reads no AWS_CA_BUNDLE. A wrapper starts the process under a tracer, which follows the SDK.
 * https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html
 */
const OF_THE_SDK: readonly RegExp[] = [
  /^AWS_(PROFILE|ACCOUNT_ID\w*|AUTH_\w+|CREDENTIAL_SCOPE|MAX_ATTEMPTS|LAMBDA_EXEC_WRAPPER|SDK_UA_APP_ID)=./,
  /^AWS_(USE_\w+_ENDPOINT|\w+_DISCOVERY\w*|IGNORE_\w+)=(?!false$)/,
  /^AWS_(RETRY|DEFAULTS)_MODE=(?!standard$)/,
]

/** Packages that send calls through a proxy read them in either case. */
const PROXY = /^(all|https?|node_use_env|global_agent_\w+)_proxy=./i

/** What may load a tracer, which follows the SDK, or send calls through a proxy. */
const LOADS_MORE = /^NODE_OPTIONS=(.*\s)?(-r\b|.*(require|import|loader|proxy))/s

/** @returns why calls go through the SDK: the variable or file that has to be otherwise, never its value */
export function plainPlace(env: Environment): Place | string {
  const missing = [
    'AWS_LAMBDA_FUNCTION_NAME',
    'LAMBDA_TASK_ROOT',
    // The image of a container does not set the first, and no test the second.
    env['AWS_EXECUTION_ENV']?.startsWith('AWS_Lambda_') ? '' : 'AWS_LAMBDA_RUNTIME_API',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_REGION',
  ].find((name) => name && !env[name])
  const otherwise =
    // @protects a unit test that sets one variable of Lambda’s reaches the SDK, and its mock
    missing ??
    Object.keys(env).find((name) => env[name] !== undefined && changes(`${name}=${env[name]}`)) ??
    file(env)
  if (otherwise !== undefined) return otherwise
  const region = env['AWS_REGION'] ?? ''
  const url = env['AWS_ENDPOINT_URL_DYNAMODB'] ?? env['AWS_ENDPOINT_URL'] ?? urlOf(region)
  return placeAt(url, region) ?? 'AWS_REGION or AWS_ENDPOINT_URL'
}

/** @param set a variable and its value */
function changes(set: string): boolean {
  return (
    // @protects one variable turns the calls without the SDK off
    set === 'LINECLEAR_FAST_PATH=false' ||
    // @protects what changes how the SDK calls keeps the calls with it
    OF_THE_SDK.some((one) => one.test(set)) ||
    // @protects a proxy of the environment keeps the calls with the SDK
    PROXY.test(set) ||
    // @protects a tracer that is loaded at the start sees all calls
    LOADS_MORE.test(set)
  )
}

/** A file that the SDK reads. It takes one that does not exist for empty. */
function file(env: Environment): string | undefined {
  const home = `${env['HOME']}/.aws/`
  return [
    env['AWS_CONFIG_FILE'] || `${home}config`,
    env['AWS_SHARED_CREDENTIALS_FILE'] || `${home}credentials`,
  ].find(
    // @protects a file that the SDK reads keeps the calls with it
    // @without () => false
    (path) => existsSync(path),
  )
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

function placeAt(url: string = '', region: string): Place | undefined {
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
