import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  dynamoDbStore,
  type DynamoDbStoreOptions,
} from '../../../src/library/adapters/store/dynamodb/index.ts'
import { type Place, plainPlace } from '../../../src/library/adapters/store/dynamodb/fast/place.ts'
import type { Logger } from '../../../src/library/base/logger.ts'
import { everyCall, openStore } from './openStore.ts'
import { recordingHandler } from './recordingHandler.ts'

/** What Lambda sets. */
const PLAIN = {
  AWS_LAMBDA_FUNCTION_NAME: 'orders',
  LAMBDA_TASK_ROOT: '/var/task',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  HOME: '/nonexistent',
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
}

function placeIn(env: Readonly<Record<string, string | undefined>>): Place {
  const place = plainPlace(env)
  if (typeof place === 'string') throw new Error(place)
  return place
}

describe('calls need the SDK', () => {
  it('not in a plain function', () => {
    expect(plainPlace(PLAIN)).toEqual({
      protocol: 'https:',
      hostname: 'dynamodb.eu-west-1.amazonaws.com',
      port: undefined,
      host: 'dynamodb.eu-west-1.amazonaws.com',
      region: 'eu-west-1',
    })
  })

  it.each([
    ['NODE_OPTIONS', '--enable-source-maps'],
    ['AWS_PROFILE', ''],
    // Node reads a certificate by itself, and the SDK does not read the second.
    ['NODE_EXTRA_CA_CERTS', '/ca.pem'],
    ['AWS_CA_BUNDLE', '/ca.pem'],
    // The credentials of the environment come first.
    ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'http://127.0.0.1:9001/credentials'],
    ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', '/credentials'],
    ['AWS_WEB_IDENTITY_TOKEN_FILE', '/token'],
    ['AWS_CREDENTIAL_EXPIRATION', '2026-11-27T00:00:00Z'],
    ['AWS_DEFAULT_REGION', 'us-east-1'],
    // The defaults of the SDK.
    ['AWS_USE_FIPS_ENDPOINT', 'false'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'false'],
    ['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', 'false'],
    ['AWS_ENABLE_ENDPOINT_DISCOVERY', 'false'],
    ['AWS_ENDPOINT_DISCOVERY_ENABLED', 'false'],
    ['AWS_RETRY_MODE', 'standard'],
    ['AWS_DEFAULTS_MODE', 'standard'],
    // Files that do not exist, which the SDK takes for empty.
    ['AWS_CONFIG_FILE', '/nonexistent/config'],
    ['AWS_SHARED_CREDENTIALS_FILE', '/nonexistent/credentials'],
    ['NO_PROXY', 'example.com'],
    ['DATABASE_PROXY', 'db.example.com'],
    ['HTTPS_PROXY', ''],
  ])('not with %s=%s', (name, value) => {
    expect(plainPlace({ ...PLAIN, [name]: value })).toEqual(plainPlace(PLAIN))
  })

  it('where the runtime is not that of Lambda', () => {
    const env = { ...PLAIN, AWS_EXECUTION_ENV: 'nodejs24.x' }
    expect(plainPlace(env)).toBe('AWS_LAMBDA_RUNTIME_API')
  })

  it('not in a container image, which has a runtime of its own', () => {
    const image = { ...PLAIN, AWS_EXECUTION_ENV: undefined }
    expect(plainPlace({ ...image, AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001' })).toBeTypeOf('object')
  })

  it.each(['config', 'credentials'])('with a file ~/.aws/%s', (name) => {
    const HOME = mkdtempSync(join(tmpdir(), 'home-'))
    mkdirSync(join(HOME, '.aws'))
    expect(plainPlace({ ...PLAIN, HOME })).toBeTypeOf('object')
    writeFileSync(join(HOME, '.aws', name), '[default]\nretry_mode = adaptive\n')
    const file = join(HOME, '.aws', name)
    expect(plainPlace({ ...PLAIN, HOME })).toBe(file)
    const variable = name === 'config' ? 'AWS_CONFIG_FILE' : 'AWS_SHARED_CREDENTIALS_FILE'
    expect(plainPlace({ ...PLAIN, [variable]: file })).toBe(file)
    rmSync(HOME, { recursive: true })
  })

  it.each(Object.keys(PLAIN).filter((name) => !['AWS_SESSION_TOKEN', 'HOME'].includes(name)))(
    'without %s',
    (name) => {
      const said = name === 'AWS_EXECUTION_ENV' ? 'AWS_LAMBDA_RUNTIME_API' : name
      expect(plainPlace({ ...PLAIN, [name]: undefined })).toBe(said)
      expect(plainPlace({ ...PLAIN, [name]: '' })).toBe(said)
    },
  )

  it.each([
    ['LINECLEAR_FAST_PATH', 'false'],
    ['AWS_PROFILE', 'mine'],
    // The name of a profile.
    ['AWS_PROFILE', 'false'],
    ['AWS_CREDENTIAL_SCOPE', 'us-east-1'],
    ['AWS_USE_FIPS_ENDPOINT', 'true'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'true'],
    ['AWS_ACCOUNT_ID', '123456789012'],
    ['AWS_ACCOUNT_ID_ENDPOINT_MODE', 'required'],
    ['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', 'true'],
    ['AWS_ENABLE_ENDPOINT_DISCOVERY', 'true'],
    ['AWS_ENDPOINT_DISCOVERY_ENABLED', 'true'],
    ['AWS_AUTH_SCHEME_PREFERENCE', 'sigv4a'],
    ['AWS_RETRY_MODE', 'adaptive'],
    ['AWS_MAX_ATTEMPTS', '10'],
    ['AWS_MAX_ATTEMPTS', '3'],
    ['AWS_SDK_UA_APP_ID', 'my app'],
    // Values that the SDK does not know.
    ['AWS_DEFAULTS_MODE', 'in-region'],
    ['AWS_RETRY_MODE', ''],
    ['AWS_USE_FIPS_ENDPOINT', 'False'],
    ['AWS_ACCOUNT_ID_ENDPOINT_MODE', 'never'],
    ['AWS_LAMBDA_EXEC_WRAPPER', '/opt/otel-handler'],
    ['HTTPS_PROXY', 'http://proxy:3128'],
    ['http_proxy', 'http://proxy:3128'],
    ['all_proxy', 'socks://proxy'],
    ['NODE_USE_ENV_PROXY', '1'],
    ['GLOBAL_AGENT_HTTPS_PROXY', 'http://proxy:3128'],
    ['NODE_OPTIONS', '--require /opt/tracer.js'],
    ['NODE_OPTIONS', '-r dd-trace/init'],
    ['NODE_OPTIONS', '--enable-source-maps --import=./tracer.mjs'],
    ['NODE_OPTIONS', '--experimental-loader ./loader.mjs'],
    ['NODE_OPTIONS', '--use-env-proxy'],
    ['AWS_ENDPOINT_URL', 'https://user@proxy.example'],
    ['AWS_ENDPOINT_URL', 'https://proxy.example/dynamodb'],
    ['AWS_ENDPOINT_URL', 'ftp://proxy.example'],
    ['AWS_ENDPOINT_URL_DYNAMODB', 'http://[::1]:8000'],
    ['AWS_REGION', 'us-iso-east-1'],
    ['AWS_REGION', 'eu-west-1.evil.example/'],
  ])('with %s=%s', (name, value) => {
    expect(plainPlace({ ...PLAIN, [name]: value })).toMatch(name.replace(/_DYNAMODB$/, ''))
  })
})

describe('the endpoint', () => {
  it.each([
    'eu-west-1',
    'us-east-1',
    'ap-southeast-7',
    'mx-central-1',
    'il-central-1',
    'us-gov-west-1',
    'cn-north-1',
    'cn-northwest-1',
    'eusc-de-east-1',
  ])('of %s is the one that the SDK calls', async (region) => {
    const requestHandler = recordingHandler()
    const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
    const client = new DynamoDBClient({ region, credentials, requestHandler })
    await everyCall(dynamoDbStore({ tableName: 'lineclear', client }))
    const hosts = requestHandler.requests.map(({ hostname }) => hostname)
    expect(new Set(hosts)).toEqual(new Set([placeIn({ ...PLAIN, AWS_REGION: region }).hostname]))
  })

  it('of a local engine is the one of the environment; that of DynamoDB alone comes first', () => {
    const env = { ...PLAIN, AWS_ENDPOINT_URL: 'http://localhost:4566/' }
    const { protocol, hostname, port, host } = placeIn(env)
    expect([protocol, hostname, port, host]).toEqual(['http:', 'localhost', 4566, 'localhost:4566'])
    const own = { ...env, AWS_ENDPOINT_URL_DYNAMODB: 'https://Db.example' }
    expect(placeIn(own).host).toBe('db.example')
  })
})

describe('every call goes through the SDK', () => {
  let server: Server
  /** Calls without the SDK, which find an endpoint that knows nothing. */
  let fast = 0
  beforeEach(async () => {
    fast = 0
    server = createServer((_, response) => {
      fast += 1
      response.writeHead(500).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // This machine may have a proxy, or a profile.
    const others = Object.keys(process.env).filter((name) => /^(AWS|NODE)_|_proxy$/i.test(name))
    for (const name of others) vi.stubEnv(name, undefined)
    for (const [name, value] of Object.entries(PLAIN)) vi.stubEnv(name, value)
    const { port } = server.address() as AddressInfo
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    server.closeAllConnections()
    server.close()
  })

  /** Reads once. @returns the clients that were asked */
  const askedOf = async (options: Partial<DynamoDbStoreOptions> = {}): Promise<unknown[]> => {
    const send = vi
      .spyOn(DynamoDBClient.prototype, 'send')
      .mockImplementation(() => Promise.resolve({ $metadata: {} }) as never)
    const store = dynamoDbStore({ tableName: 'lineclear', ...options })
    expect(await store.read([{ pk: 'p', sk: 's' }])).toMatchObject([{ kind: 'found' }])
    return send.mock.contexts
  }

  it('after an answer that is not clean, and then only', async () => {
    expect(await askedOf()).toHaveLength(1)
    expect(fast).toBe(1)
  })

  it('if the option says so', async () => {
    expect(await askedOf({ fastPath: false })).toHaveLength(1)
    expect(fast).toBe(0)
  })

  it('if the environment says so', async () => {
    vi.stubEnv('LINECLEAR_FAST_PATH', 'false')
    expect(await askedOf()).toHaveLength(1)
    expect(fast).toBe(0)
  })

  it('for a table that goes by its ARN, which may have an endpoint of its own', async () => {
    const tableName = 'arn:aws:dynamodb:eu-west-1:123456789012:table/x'
    expect(await askedOf({ tableName })).toHaveLength(1)
    expect(fast).toBe(0)
  })

  it('of a client that was given', async () => {
    const client = new DynamoDBClient({})
    expect(await askedOf({ client })).toEqual([client])
    expect(fast).toBe(0)
  })

  it('and at DEBUG one line says why, for all stores of the process', () => {
    const debug = vi.fn<Logger['debug']>()
    const logger = { debug, info: debug, warn: debug, error: debug }
    const open = (options: Partial<DynamoDbStoreOptions> = {}): unknown =>
      dynamoDbStore({ tableName: 'lineclear', logger, ...options })
    open()
    expect(debug).not.toHaveBeenCalled()
    vi.stubEnv('AWS_PROFILE', 'secret')
    open()
    open()
    expect(debug.mock.calls).toEqual([[said('AWS_PROFILE')]])
    const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/x'
    for (const options of [
      { client: new DynamoDBClient() },
      { fastPath: false },
      { tableName: table },
    ])
      open(options)
    const texts = debug.mock.calls.slice(1).map(([text]) => text)
    expect(texts).toEqual(['client', 'fastPath', 'an ARN'].map(said))
  })

  it('when the credentials are gone from the environment', async () => {
    const { store, ways } = openStore(undefined, { credentials: () => undefined })
    await everyCall(store)
    expect(new Set(ways())).toEqual(new Set(['SDK']))
  })
})

function said(why: string): string {
  return `DynamoDB through the SDK: ${why}`
}
