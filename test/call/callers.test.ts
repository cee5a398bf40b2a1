import { callerKey, idempotent, type IdempotentOptions } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { albEvent, httpApiEvent, latticeEvent, latticeEventV1, restEvent } from './httpEvents.ts'

const UNREPEATED = notIn(
  ['twice', 'atOnce', 'ten'],
  'what is not kept, or not guarded, runs at each call',
)

const KEY = { 'Idempotency-Key': 'the-same' }
type Options = Partial<IdempotentOptions<[event: object, context: object], unknown>>

interface Answer {
  readonly statusCode: number
  readonly body: string
}

function api(options: Options = {}) {
  const logger = quietLogger()
  let runs = 0
  const handler = idempotent(
    { store: memoryStore(), logger, name: 'api', ...options },
    async (_event: object, _context: object): Promise<unknown> => ({
      statusCode: 201,
      body: `answer ${(runs += 1)}`,
    }),
  )
  const call = async (event: object): Promise<Answer> =>
    (await handler(event, lambdaContext())) as Answer
  return { call, logger, runs: () => runs }
}

const token = (head: object, claims: object): string =>
  [head, claims, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')

/** Event structure V2 of VPC Lattice: the request context says who calls. */
const lattice = (identity: object | undefined): object =>
  latticeEvent({
    headers: KEY,
    requestContext: {
      identity: { sourceVpcArn: 'arn:aws:ec2:eu-west-1:1:vpc/vpc-1', ...identity },
    },
  })

/** Event structure V1: a header says it, which VPC Lattice strips from what clients send. */
const latticeV1 = (identity: string): object =>
  latticeEventV1({ headers: { ...KEY, 'x-amzn-lattice-identity': identity } })

/** As the user guide shows it. */
const SESSION = 'arn:aws:iam::123456789012:assumed-role/my-role/my-session'

const rest = (requestContext: object): object => restEvent({ headers: KEY, requestContext })
const http = (requestContext: object): object => httpApiEvent({ headers: KEY, requestContext })
const alb = (headers: Readonly<Record<string, string>>): object =>
  albEvent({ headers: { ...KEY, ...headers } })

const callers: readonly (readonly [string, (who: string) => object])[] = [
  [
    'a Lambda authorizer of an HTTP API, by its principal',
    (principalId) => http({ authorizer: { lambda: { principalId } } }),
  ],
  [
    'a Lambda authorizer of an HTTP API, by the subject in its context',
    (sub) => http({ authorizer: { lambda: { sub } } }),
  ],
  ['a Lambda authorizer of a REST API', (principalId) => rest({ authorizer: { principalId } })],
  [
    'a JWT, by its subject',
    (sub) => http({ authorizer: { jwt: { claims: { iss: 'https://i', sub } } } }),
  ],
  [
    'a JWT, by its issuer',
    (iss) => http({ authorizer: { jwt: { claims: { iss, sub: 'user' } } } }),
  ],
  [
    'a Cognito identity pool of a REST API, whose users share a role',
    (cognitoIdentityId) =>
      rest({ identity: { cognitoIdentityId, caller: 'AROA:CognitoIdentityCredentials' } }),
  ],
  [
    'a Cognito identity pool of an HTTP API',
    (identityId) =>
      http({ authorizer: { iam: { callerId: 'AROA:Cognito', cognitoIdentity: { identityId } } } }),
  ],
  [
    'people in one role of IAM Identity Center',
    (who) =>
      rest({
        identity: {
          caller: `AROA:${who}`,
          userArn: `arn:aws:sts::1:assumed-role/AWSReservedSSO_Admin_1/${who}`,
        },
      }),
  ],
  [
    'a client certificate of a REST API',
    (subjectDN) => rest({ identity: { clientCert: { issuerDN: 'CN=ca', subjectDN } } }),
  ],
  [
    'a client certificate of an HTTP API',
    (subjectDN) => http({ authentication: { clientCert: { issuerDN: 'CN=ca', subjectDN } } }),
  ],
  [
    'IAM of VPC Lattice',
    (who) => lattice({ type: 'AWS_IAM', principal: `arn:aws:iam::1:role/${who}` }),
  ],
  [
    'a certificate of VPC Lattice',
    (x509SubjectCn) =>
      lattice({
        principal: 'arn:aws:sts::1:assumed-role/r/s',
        sessionName: 's',
        x509SubjectCn,
      }),
  ],
  [
    'IAM of VPC Lattice, version 1',
    (who) => latticeV1(`Principal=arn:aws:iam::1:role/${who}; PrincipalOrgID=o-1`),
  ],
  [
    'certificates of one role, at VPC Lattice, version 1',
    (who) =>
      latticeV1(
        `Principal=${SESSION};SessionName=my-session;X509Subject/CN=${who};X509Issuer/OU=;`,
      ),
  ],
  [
    'people in one role of IAM Identity Center, at VPC Lattice',
    (who) => lattice({ principal: `arn:aws:sts::1:assumed-role/AWSReservedSSO_Admin_1/${who}` }),
  ],
]

describe('two callers who choose one key get their own answers, behind', () => {
  it.each(callers)('%s', async (_, event) => {
    const { call, runs } = api()
    const answers = [
      await call(event('alice')),
      await call(event('bob')),
      await call(event('alice')),
    ].map(({ body }) => body)
    expect(answers).toEqual(['answer 1', 'answer 2', 'answer 1'])
    expect(runs()).toBe(2)
  })
})

it('two callers with one name, whom the API knows in different ways, get their own answers', async () => {
  const { call, runs } = api()
  const clientCert = { issuerDN: 'u-1', subjectDN: 'u-1' }
  const events = [
    http({ authorizer: { jwt: { claims: { sub: 'u-1' } } } }),
    http({ authorizer: { jwt: { claims: { iss: 'u-1', sub: 'u-1' } } } }),
    rest({ authorizer: { principalId: 'u-1' } }),
    http({ authorizer: { lambda: { sub: 'u-1' } } }),
    rest({ identity: { cognitoIdentityId: 'u-1' } }),
    http({ authorizer: { iam: { callerId: 'u-1' } } }),
    http({ authentication: { clientCert } }),
    lattice({ principal: 'u-1' }),
    lattice({ principal: 'u-1', x509SubjectCn: 'u-1' }),
  ]
  for (const event of events) await call(event)
  expect(runs()).toBe(events.length)
})

describe('one caller gets one answer, in whichever session of a role, behind', () => {
  const header = (session: string): string =>
    `PrincipalOrgID=o-1;Principal=arn:aws:sts::123456789012:assumed-role/my-role/${session};SessionName=${session};`
  it.each<readonly [string, (session: string) => object]>([
    ['VPC Lattice', (session) => lattice({ principal: SESSION.replace('my-session', session) })],
    ['VPC Lattice, version 1', (session) => latticeV1(header(session))],
    [
      'VPC Lattice, version 1, with a semicolon in a value',
      (session) => latticeV1(`${header(session)}X509Subject/CN=a\\;Principal=bob`),
    ],
  ])('%s', async (_, event) => {
    const { call, runs } = api()
    const answers = [await call(event('i-0c7de02a688bde9f7')), await call(event('i-1'))]
    expect(answers.map(({ body }) => body)).toEqual(['answer 1', 'answer 1'])
    expect(runs()).toBe(1)
  })
})

const UNIDENTIFIED: readonly (readonly [string, object])[] = [
  ['a REST API without an authorizer', rest({})],
  ['an HTTP API without an authorizer', http({})],
  ['a free-form context of a Lambda authorizer', http({ authorizer: { lambda: { name: 'a' } } })],
  [
    'a REST API whose client sets the headers of an ALB',
    restEvent({ headers: { ...KEY, 'x-amzn-oidc-identity': 'alice' } }),
  ],
  [
    'an HTTP API whose client sets the header of VPC Lattice',
    httpApiEvent({ headers: { ...KEY, 'x-amzn-lattice-identity': 'Principal=alice' } }),
  ],
  [
    'a subject with a line break, which could read as an issuer and a subject',
    http({ authorizer: { jwt: { claims: { sub: 'i\nu' } } } }),
  ],
  [
    'a certificate at VPC Lattice whose name has a line break',
    lattice({ principal: 'arn:aws:iam::1:role/r', x509SubjectCn: 'a\nb' }),
  ],
  ['a REST API with an API key', rest({ identity: { apiKeyId: 'k' } })],
  ['an ALB that authenticates no caller', alb({})],
  ['the sign-in of an ALB, which a client can write', alb({ 'x-amzn-oidc-identity': 'alice' })],
  [
    'the token of an ALB that is not signed',
    alb({ 'x-amzn-oidc-identity': 'u', 'x-amzn-oidc-data': token({ iss: 'i' }, { sub: 'u' }) }),
  ],
  [
    'the certificate of an ALB, which a client of a listener without TLS can write',
    alb({ 'x-amzn-mtls-clientcert-issuer': 'CN=ca', 'x-amzn-mtls-clientcert-subject': 'CN=a' }),
  ],
  ['an ALB that passes certificates on unread', alb({ 'x-amzn-mtls-clientcert': 'pem' })],
  ['VPC Lattice that knows no more than the network', lattice(undefined)],
  ['VPC Lattice without authentication', lattice({ type: '', principal: '' })],
  ['VPC Lattice whose principal is a list', lattice({ principal: ['alice'] })],
  [
    'VPC Lattice whose identity is a text',
    latticeEvent({ headers: KEY, requestContext: { identity: 'alice' } }),
  ],
  [
    'VPC Lattice 1 that names nobody',
    latticeV1('Principal=; PrincipalOrgID=; SessionName=; Type='),
  ],
  ['VPC Lattice 1 without fields', latticeV1(';;alice;=alice')],
  [
    'VPC Lattice 1 with the VPC only',
    latticeEventV1({
      headers: {
        ...KEY,
        'x-amzn-lattice-network': 'SourceVpcArn=arn:aws:ec2:eu-west-1:1:vpc/vpc-1',
      },
    }),
  ],
  [
    'VPC Lattice 1 whose certificate smuggles in another principal',
    latticeV1(`Principal=${SESSION};X509Subject/CN=x;Principal=alice`),
  ],
  [
    'VPC Lattice 2 with the header of version 1',
    {
      ...lattice(undefined),
      headers: { 'idempotency-key': ['k'], 'x-amzn-lattice-identity': ['Principal=alice'] },
    },
  ],
]

it.each([
  ['a WebSocket API', { requestContext: { connectionId: 'c', eventType: 'MESSAGE' }, body: '{}' }],
  ['a resolver of AppSync', { identity: { sub: 'u' }, info: { fieldName: 'pay' }, arguments: {} }],
])(
  'a request of %s is not run without a tenant, whose caller is not read',
  async (_what, event) => {
    let runs = 0
    const options = { store: memoryStore(), name: 'api', logger: quietLogger(), key: () => 'k' }
    const refused = idempotent(options, async (_event: object) => (runs += 1))
    await expect(refused(event)).rejects.toThrow(/tenant/)
    expect(runs).toBe(0)
    const named = idempotent(
      { ...options, tenant: () => 'u' },
      async (_event: object) => (runs += 1),
    )
    expect([await named(event), await named(event)]).toEqual([1, 1])
  },
)

describe('a request whose caller the API does not identify is neither run nor answered:', () => {
  it.each(UNIDENTIFIED)('%s', async (_, event) => {
    const { call, runs, logger } = api()
    const answer = await call(event)
    expect(answer.statusCode).toBe(500)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'CONFIG' })
    expect(answer.body).not.toMatch(/option|tenant|authorizer/)
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'not run',
        error: expect.stringMatching(/^tenant: the API does not say who calls/),
      }),
    )
    expect(runs()).toBe(0)
  })

  it.each(UNIDENTIFIED)('unless keys are shared on purpose: %s', async (_, event) => {
    const { call, runs } = api({ tenant: 'none' })
    expect([(await call(event)).body, (await call(event)).body]).toEqual(['answer 1', 'answer 1'])
    expect(runs()).toBe(1)
  })

  it.each(UNIDENTIFIED)('unless the option tenant names the caller: %s', async (_, event) => {
    const { call } = api({ tenant: (given) => (given as { who?: string }).who })
    const answers = [await call({ ...event, who: 'a' }), await call({ ...event, who: 'b' })]
    expect(answers.map(({ body }) => body)).toEqual(['answer 1', 'answer 2'])
    expect((await call(event)).statusCode).toBe(400)
  })
})

describe('an asynchronous selector', () => {
  const who = (event: object): string => (event as { who: string }).who

  it('tenant keeps its callers apart', async () => {
    const { call } = api({ tenant: async (event) => who(event) })
    const answers = [await call({ ...http({}), who: 'a' }), await call({ ...http({}), who: 'b' })]
    expect(answers.map(({ body }) => body)).toEqual(['answer 1', 'answer 2'])
  })

  it('key keeps its calls apart, also as a list', async () => {
    for (const key of [
      async (event: object) => who(event),
      async (event: object) => ['order', who(event)],
    ]) {
      const { call } = api({ key, tenant: 'none', payload: 'ignore' })
      const answers = [await call({ ...http({}), who: 'a' }), await call({ ...http({}), who: 'b' })]
      expect(answers.map(({ body }) => body)).toEqual(['answer 1', 'answer 2'])
    }
  })

  it('payload is compared by what it resolves to', async () => {
    const { call } = api({ tenant: 'none', payload: async (event) => who(event) })
    expect((await call({ ...http({}), who: 'a' })).statusCode).toBe(201)
    expect((await call({ ...http({}), who: 'a' })).statusCode).toBe(201)
    expect((await call({ ...http({}), who: 'b' })).statusCode).toBe(422)
  })

  it('when is awaited', UNREPEATED, async () => {
    const { call, runs } = api({ when: async () => false })
    expect([(await call(http({}))).body, (await call(http({}))).body]).toEqual([
      'answer 1',
      'answer 2',
    ])
    expect(runs()).toBe(2)
  })

  it('validResponse and classify are awaited', UNREPEATED, async () => {
    const { call, runs } = api({ tenant: 'none', validResponse: async () => false })
    await call(http({}))
    await call(http({}))
    expect(runs()).toBe(2)
    const failing = idempotent(
      {
        store: memoryStore(),
        logger: quietLogger(),
        name: 's',
        key: () => 'k',
        classify: async () => 'terminal' as const,
      },
      async () => {
        throw new Error('no')
      },
    )
    await expect(failing()).rejects.toThrow('no')
    await expect(failing()).rejects.toMatchObject({ code: 'TERMINAL', message: 'no' })
  })
})

class Hidden {
  readonly #id: string

  constructor(id: string) {
    this.#id = id
  }

  id(): string {
    return this.#id
  }
}

describe('values that would all give the same key are refused', () => {
  const looksAlike: readonly (readonly [string, (id: string) => unknown])[] = [
    ['a class with private fields', (id) => new Hidden(id)],
    ['URLSearchParams', (id) => new URLSearchParams({ id })],
    ['a regular expression', (id) => new RegExp(id)],
    ['an Error', (id) => new Error(id)],
    ['a function in an object', (id) => ({ of: () => id, id: 1 })],
    ['a boxed text', (id): object => Object(id) as object],
    ['a WeakMap', () => new WeakMap()],
    ['one of them deep inside', (id) => ({ order: [{ by: new Hidden(id) }] })],
    ['a promise in a list', (id) => ['order', Promise.resolve(id)]],
    ['a promise that is not awaited', (id) => ({ id: Promise.resolve(id) })],
  ]

  it.each(looksAlike)('as a key, a tenant or a payload: %s', async (_, of) => {
    for (const option of ['key', 'tenant', 'payload'] as const) {
      let runs = 0
      const run = idempotent(
        {
          store: memoryStore(),
          logger: quietLogger(),
          name: 's',
          key: () => 'k',
          [option]: (id: string) => of(id) as never,
        },
        async (_id: string) => (runs += 1),
      )
      await expect(run('a')).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringContaining(`${option}: expected plain data`),
      })
      expect(runs).toBe(0)
    }
  })

  it('values that differ are accepted', async () => {
    const run = idempotent(
      {
        store: memoryStore(),
        logger: quietLogger(),
        name: 's',
        key: (at) => at as never,
        payload: 'ignore',
      },
      async (at: unknown) => String(at),
    )
    const values = [
      new Date(1),
      new Date(2),
      new URL('https://a/'),
      new URL('https://b/'),
      2n,
      { a: 1 },
      { a: 2 },
    ]
    const answers = []
    for (const value of values) answers.push(await run(value))
    expect(answers).toEqual(values.map(String))
  })
})

describe('a selector that throws', () => {
  const broken = (): never => {
    throw new TypeError('no such field')
  }

  it.each([
    [{ key: broken }, 400],
    [{ tenant: broken }, 400],
    [{ payload: broken }, 400],
    [{ when: broken }, 500],
  ])('is problem details for an HTTP request, not a raw exception: %o', async (options, status) => {
    const { call, runs, logger } = api({ tenant: 'none', ...options })
    const answer = await call(http({}))
    expect([answer.statusCode, runs()]).toEqual([status, 0])
    expect(answer.body).not.toContain('no such field')
    expect(JSON.stringify(logger.lines)).toContain('no such field')
  })

  it('an onReplay that throws is 500: the request was done', async () => {
    const { call, runs } = api({ tenant: 'none', onReplay: broken })
    await call(http({}))
    const answer = await call(http({}))
    expect(JSON.parse(answer.body)).toMatchObject({ status: 500, code: 'REPLAY_FAILED' })
    expect(runs()).toBe(1)
  })
})

it('a tenant with a lone surrogate is refused, as a key with one is', async () => {
  const { call, runs } = api({ tenant: () => 'a\ud800' })
  expect((await call(http({}))).statusCode).toBe(400)
  expect(runs()).toBe(0)
})

it(
  'a request that was refused for its body can be corrected and sent again with its key',
  UNREPEATED,
  async () => {
    let runs = 0
    const handler = idempotent(
      { store: memoryStore(), logger: quietLogger(), name: 'api', tenant: 'none' },
      async (event: { readonly body?: string }) => {
        runs += 1
        return { statusCode: event.body === '{"cents":"5"}' ? 400 : 201, body: `run ${runs}` }
      },
    )
    const send = async (body: object) => handler(httpApiEvent({ headers: KEY, body }))
    expect((await send({ cents: '5' })).statusCode).toBe(400)
    expect((await send({ cents: 5 })).statusCode).toBe(201)
    expect((await send({ cents: 5 })).body).toBe('run 2')
    expect((await send({ cents: 6 })).statusCode).toBe(422)
  },
)

describe('the key for a provider', () => {
  const jwt = (sub: string): object => http({ authorizer: { jwt: { claims: { sub } } } })
  const cognito = (sub: string): object => rest({ authorizer: { claims: { sub } } })
  const authorizer = (principalId: string): object =>
    http({ authorizer: { lambda: { principalId } } })
  const role = (session: string): object =>
    http({ authorizer: { iam: { callerId: `AROA1:${session}` } } })

  it.each([
    ['of a JWT', jwt],
    ['of Cognito behind a REST API', cognito],
    ['of a Lambda authorizer', authorizer],
  ])('keeps callers %s apart who chose the same key', (_, event) => {
    expect(callerKey(event('ann'), 'charge')).toBe(callerKey(event('ann'), 'charge'))
    expect(callerKey(event('ann'), 'charge')).not.toBe(callerKey(event('ben'), 'charge'))
    expect(callerKey(event('ann'), 'charge')).toMatch(/^[\w-]{43}$/)
  })

  it('is another one for each call of a request', () => {
    expect(callerKey(jwt('ann'), 'charge')).not.toBe(callerKey(jwt('ann'), 'refund'))
  })

  it.each([undefined, ''])('is refused for a call without a name: %j', (call) => {
    const message =
      "callerKey: the second argument: expected the name of the call, such as 'charge'"
    expect(() => callerKey(jwt('ann'), call as string)).toThrow(message)
  })

  it('is the same for another session of a role, which repeats the call', () => {
    expect(callerKey(role('one'), 'charge')).toBe(callerKey(role('two'), 'charge'))
  })

  it('is refused when nobody is authenticated, or chose a key', () => {
    expect(() => callerKey(http({}), 'charge')).toThrow('no authorizer, IAM check or certificate')
    expect(() => callerKey({ orderId: 'o-1' }, 'charge')).toThrow(
      'no authorizer, IAM check or certificate',
    )
    const keyless = httpApiEvent({
      requestContext: { authorizer: { jwt: { claims: { sub: 'a' } } } },
    })
    expect(() => callerKey(keyless, 'charge')).toThrow('no Idempotency-Key header')
  })
})
