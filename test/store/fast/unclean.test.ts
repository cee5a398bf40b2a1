import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { items, KEY, openStore } from './openStore.ts'
import { type Reply, textOf } from './recordingHandler.ts'

describe('an answer that is not clean', () => {
  const error = (name: string): string =>
    JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'm' })
  const reset = (): never => {
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  }
  const ANSWERS: [string, () => Reply][] = [
    ['an internal error', () => ({ status: 500, body: error('InternalServerError') })],
    ['an HTML page', () => ({ status: 503, body: '<html>unavailable</html>' })],
    ['a throttle', () => ({ status: 400, body: error('ProvisionedThroughputExceededException') })],
    ['expired credentials', () => ({ status: 400, body: error('ExpiredTokenException') })],
    ['a wrong clock', () => ({ status: 403, body: error('RequestTimeTooSkewed') })],
    ['a body that is too large', () => ({ status: 413, body: '' })],
    ['a redirection', () => ({ status: 301, body: '{}' })],
    [
      'a refusal under a wrong status',
      () => ({ status: 500, body: error('ConditionalCheckFailedException') }),
    ],
    ['nothing', () => ({ body: '' })],
    ['half of it', () => ({ body: '{"Responses":[{}' })],
    ['a list', () => ({ body: '[]' })],
    [
      'a cancelled transaction without reasons',
      () => ({ status: 400, body: error('TransactionCanceledException') }),
    ],
    ['another operation’s', () => ({ body: '{}' })],
    ['too few responses', () => ({ body: '{"Responses":[{},{}]}' })],
    ['compressed bytes', () => ({ body: Readable.from([Buffer.from([0x1f, 0x8b, 8, 0, 0])]) })],
    ['a broken connection', reset],
    ['a stream that breaks', () => ({ body: breaking('{"Responses":[{},{},{}]}') })],
    ['a stream that is closed', () => ({ body: closing('{"Responses":[') })],
  ]

  it.each(ANSWERS)('sends the same call through the SDK: %s', async (_, answer) => {
    const { store, requests, ways } = openStore((_sent, nth) => (nth === 0 ? answer() : undefined))
    const three = items(3)
    expect(await store.create(three)).toEqual(three.map((item) => ({ kind: 'applied', item })))
    expect(ways()).toEqual(['fast', 'SDK'])
    const [fast, again] = requests.map((sent) => JSON.parse(textOf(sent)) as unknown)
    expect(again).toEqual(fast)
  })

  it.each(['null', '[]', '"text"', '7'])('is one without members: %s', async (body) => {
    const { store, ways } = openStore((_, nth) => (nth === 0 ? { body } : undefined))
    expect(await store.read([KEY])).toEqual([{ kind: 'found', item: undefined }])
    expect(ways()).toEqual(['fast', 'SDK'])
  })

  it('is one without the items that were asked for', async () => {
    const { store, ways } = openStore((_, nth) => (nth === 0 ? { body: '{}' } : undefined))
    const found = items(2).map(() => ({ kind: 'found', item: undefined }))
    expect(await store.read(items(2))).toEqual(found)
    expect(ways()).toEqual(['fast', 'SDK'])
  })

  it('keeps the SDK’s way for a second, and then the other one comes back', async () => {
    const { store, ways, wait } = openStore((_, nth) => (nth === 0 ? reset() : undefined))
    for (let nth = 0; nth < 3; nth++) await store.read([KEY])
    expect(ways()).toEqual(['fast', 'SDK', 'SDK', 'SDK'])
    wait(1_000)
    for (let nth = 0; nth < 2; nth++) await store.read([KEY])
    expect(ways().slice(-2)).toEqual(['fast', 'fast'])
  })

  it('of the SDK’s too gives the SDK’s error', async () => {
    const { store, ways } = openStore(
      () => ({ status: 400, body: error('AccessDeniedException') }),
      { config: { maxAttempts: 1 } },
    )
    expect(await store.read([KEY])).toMatchObject([
      {
        kind: 'failed',
        error: {
          reason: 'setUp',
          cause: { name: 'AccessDeniedException', $metadata: { attempts: 1 } },
        },
      },
    ])
    expect(ways()).toEqual(['fast', 'SDK'])
  })
})

function breaking(text: string): Readable {
  let isSent = false
  return new Readable({
    read() {
      if (isSent) this.destroy(new Error('aborted'))
      else isSent = this.push(Buffer.from(text)) || true
    },
  })
}

function closing(text: string): Readable {
  let isSent = false
  return new Readable({
    read() {
      if (isSent) this.destroy()
      else isSent = this.push(Buffer.from(text)) || true
    },
  })
}
