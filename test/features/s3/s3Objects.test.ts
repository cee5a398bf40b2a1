import { createServer, type Server } from 'node:http'
import {
  type GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { startFauxqs } from 'fauxqs'
import { s3Objects } from 'lineclear/s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const MIB = 1_048_576
const TEXT = JSON.stringify({ text: 'ä€😀'.repeat(200_000) })
const BUCKET = 'payloads'

const clientOf = (endpoint: string): S3Client =>
  new S3Client({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    forcePathStyle: true,
    maxAttempts: 1,
  })

describe('payloads in S3', () => {
  let server: Awaited<ReturnType<typeof startFauxqs>>
  let client: S3Client
  beforeAll(async () => {
    server = await startFauxqs({ port: 0, logger: false })
    server.createBucket(BUCKET)
    client = clientOf(`http://127.0.0.1:${server.port}`)
  })
  afterAll(async () => {
    client.destroy()
    await server.stop()
  })

  const payloads = (more = {}) => s3Objects({ bucket: BUCKET, client, ...more })
  const objectOf = (name: string) => ({ Bucket: BUCKET, Key: `lineclear/payloads/${name}` })

  it('are read back byte for byte', async () => {
    const moved = payloads().move(TEXT)
    await moved.store()
    expect(await payloads().read(moved.carried)).toBe(TEXT)
  })

  it('are named by their hash, under the prefix, and written again under the same name', async () => {
    const moved = payloads({ prefix: 'mine/' }).move(TEXT)
    await moved.store()
    await moved.store()
    expect(moved.replaceIn(TEXT)).toBe(
      `lineclear: the payload is at s3://payloads/mine/payloads/${moved.carried.sha256} (${Buffer.byteLength(TEXT)} bytes)`,
    )
    const there = { Bucket: BUCKET, Key: `mine/payloads/${moved.carried.sha256}` }
    const { ContentLength, ContentType } = await client.send(new HeadObjectCommand(there))
    expect([ContentLength, ContentType]).toEqual([
      Buffer.byteLength(TEXT),
      'text/plain; charset=utf-8',
    ])
  })

  it('that are missing are refused, with the place', async () => {
    const { carried } = payloads().move(`${TEXT} never stored`)
    await expect(payloads().read(carried)).rejects.toMatchObject({
      code: 'REJECTED',
      message: expect.stringContaining(
        `s3://payloads/lineclear/payloads/${carried.sha256}`,
      ) as string,
    })
  })

  it.each([
    ['of the same size', TEXT.replace('ä', 'ö'), /its hash differs/],
    ['longer', `${TEXT} `, /no object of this size/],
    [
      'with bytes that are no text',
      Buffer.alloc(Buffer.byteLength(TEXT), 0xff),
      /its hash differs/,
    ],
  ])('that were overwritten by others (%s) are refused', async (_, Body, why) => {
    const moved = payloads().move(TEXT)
    const object = { ...objectOf(moved.carried.sha256), Body }
    await client.send(new PutObjectCommand(object))
    await expect(payloads().read(moved.carried)).rejects.toThrow(why)
  })

  it('in a bucket that does not exist cannot be written or read now', async () => {
    const elsewhere = payloads({ bucket: 'not-there' })
    const moved = elsewhere.move(TEXT)
    const unavailable = { code: 'STORE_UNAVAILABLE', reason: 'setUp' }
    await expect(moved.store()).rejects.toMatchObject(unavailable)
    await expect(elsewhere.read(moved.carried)).rejects.toMatchObject(unavailable)
  })

  it('larger than maxBytes are refused before any request, written or read', async () => {
    const none = { send: () => Promise.reject(new Error('a request')) } as unknown as S3Client
    const small = payloads({ client: none, maxBytes: MIB })
    expect(() => small.move('x'.repeat(MIB + 1))).toThrow(
      /has 1048577 bytes.*maxBytes of the option offload is 1048576/,
    )
    const { carried } = payloads().move('x'.repeat(MIB + 1))
    await expect(small.read(carried)).rejects.toMatchObject({ code: 'REJECTED' })
  })

  it('are asked of the owner of the bucket, if one is named', async () => {
    const sent: unknown[] = []
    const send = async (command: PutObjectCommand | GetObjectCommand) => {
      sent.push(command.input.ExpectedBucketOwner)
      return {}
    }
    const owned = payloads({ client: { send }, bucketOwner: '123456789012' })
    const moved = owned.move(TEXT)
    await moved.store()
    await owned.read(moved.carried).catch(() => {})
    expect(sent).toEqual(['123456789012', '123456789012'])
  })
})

describe('a failure of S3', () => {
  const failing = (name: string) => {
    const send = () => Promise.reject(Object.assign(new Error('no'), { name }))
    return s3Objects({ bucket: BUCKET, client: { send } as unknown as S3Client })
  }
  const { carried } = failing('').move(TEXT)

  it.each([
    ['TimeoutError', 'noAnswer'],
    ['InternalError', 'noAnswer'],
    ['SlowDown', 'throttled'],
    ['NoSuchBucket', 'setUp'],
  ])('%s: tried again without counting', async (name, reason) => {
    const expected = { code: 'STORE_UNAVAILABLE', reason }
    await expect(failing(name).move(TEXT).store()).rejects.toMatchObject(expected)
    await expect(failing(name).read(carried)).rejects.toMatchObject(expected)
  })

  it('AccessDenied when writing names the permission', async () => {
    await expect(failing('AccessDenied').move(TEXT).store()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /Allow s3:PutObject on arn:aws:s3:::payloads\/lineclear\/payloads\//,
      ) as string,
    })
  })

  it('AccessDenied when reading names both permissions, and is no outage: a missing object looks the same', async () => {
    await expect(failing('AccessDenied').read(carried)).rejects.toMatchObject({
      code: 'RETRYABLE',
      message: expect.stringMatching(/Allow s3:GetObject on .*s3:ListBucket/) as string,
    })
  })
})

describe('an answer that stops in the middle', () => {
  let server: Server
  beforeAll(async () => {
    server = createServer((_, answer) => {
      answer.writeHead(200, { 'content-length': Buffer.byteLength(TEXT) })
      answer.write('{')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('is given up after its time', async () => {
    const real = AbortSignal.timeout.bind(AbortSignal)
    const limit = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => real(100))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const client = clientOf(`http://127.0.0.1:${port}`)
    const payloads = s3Objects({ bucket: BUCKET, client })
    await expect(payloads.read(payloads.move(TEXT).carried)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    // Twice, if the time ends before the answer has begun: then the SDK calls again.
    expect(new Set(limit.mock.calls.flat())).toEqual(new Set([20_000]))
    limit.mockRestore()
    client.destroy()
  })
})

it.each([
  [
    'a payload',
    (given: object) =>
      s3Objects(given as never)
        .move(TEXT)
        .store(),
  ],
  ['a large result', (given: object) => s3Objects(given as never).put('key', '{}', undefined)],
])('%s: a client that gives no answer and heeds no signal is not waited for', async (_, put) => {
  const real = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => real(1))
  const client = { send: () => new Promise(() => {}) }
  await expect(put({ bucket: BUCKET, client })).rejects.toThrow(/timeout/i)
})

it.each([
  [
    'no bucket',
    { bucket: '' },
    /bucket: expected the name of a bucket \(is its environment variable set\?\)/,
  ],
  ['an unset variable', { bucket: undefined }, /bucket: expected/],
  [
    'a prefix without an end',
    { bucket: 'mine', prefix: 'p' },
    /prefix: expected .* with a "\/" at the end; got "p"/,
  ],
  [
    'a small maxBytes',
    { bucket: 'mine', maxBytes: 1 },
    /maxBytes: expected a whole number from 1048576/,
  ],
  ['a name as owner', { bucket: 'mine', bucketOwner: 'me' }, /bucketOwner: expected the 12 digits/],
  ['no client', { bucket: 'mine', client: {} }, /client: expected an S3Client/],
  ['a misspelt option', { bucket: 'mine', maxbytes: MIB }, /maxbytes/],
])('refuses %s', (_, options, why) => {
  expect(() => s3Objects(options as never)).toThrow(why)
})
