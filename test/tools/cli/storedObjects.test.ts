import { createServer, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { storedObjects } from '../../../src/tools/cli/storedObjects.ts'
import { isAvailable } from '../../../src/tools/doctor/account/clients.ts'

type Answer = readonly [status: number, headers?: Readonly<Record<string, string>>]

let answer: Answer
const asked: string[] = []
const server = createServer(({ method, url }, response: ServerResponse) => {
  asked.push(`${method} ${url}`)
  response.writeHead(answer[0], answer[1]).end()
})
beforeEach(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`)
  asked.length = 0
})
afterEach(() => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
})

const PLACE = { bucket: 'shop', name: 'lineclear/results/x.json' }

/** Of the account, with credentials of nobody. */
async function client() {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  const objects = await storedObjects({}, { region: 'eu-west-1', credentials }, undefined)
  if (!isAvailable(objects)) throw new Error(objects.why)
  return objects
}

it.each<readonly [string, Answer, object]>([
  ['is there', [200], { kind: 'there' }],
  ['is gone', [404], { kind: 'gone' }],
  [
    'is hidden, and has older versions',
    [404, { 'x-amz-delete-marker': 'true' }],
    { kind: 'not known', why: expect.stringContaining('versions') },
  ],
  ['may not be asked for', [403], { kind: 'not known' }],
])('an object %s', async (_, given, expected) => {
  answer = given
  expect(await (await client()).look(PLACE)).toMatchObject(expected)
  expect(asked).toEqual(['HEAD /shop/lineclear/results/x.json'])
})

it.each<readonly [string, Answer, unknown]>([
  ['is gone', [204], undefined],
  [
    'stays in older versions',
    [204, { 'x-amz-delete-marker': 'true', 'x-amz-version-id': 'v2' }],
    expect.stringContaining('earlier versions'),
  ],
  ['may not be deleted', [403], expect.any(String)],
])('an object that is removed %s', async (_, given, expected) => {
  answer = given
  expect(await (await client()).remove(PLACE)).toEqual(expected)
})

it('the local cloud has no bucket', async () => {
  expect(await storedObjects({}, {}, { dynamodb: '', sqs: '' })).toMatchObject({
    why: expect.stringContaining('no S3'),
  })
})
