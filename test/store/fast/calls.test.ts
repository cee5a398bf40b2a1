import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, it } from 'vitest'
import { CREDENTIALS, everyCall, items, KEY, OPERATIONS, openStore } from './openStore.ts'
import { operationOf, type Sent, textOf } from './recordingHandler.ts'

describe('without the SDK', () => {
  it('go all calls, from the first one on', async () => {
    const { store, requests, ways } = openStore()
    await everyCall(store)
    expect(requests.map(operationOf)).toEqual(OPERATIONS)
    expect(new Set(ways())).toEqual(new Set(['fast']))
  })

  it('go the same body, type and target', async () => {
    const { store, bySdk, requests, ways } = openStore()
    for (const way of [store, bySdk]) {
      await everyCall(way)
      await way.create(
        items(1, { text: 'größer 🚂 "\\ \u0000', n: 0.1, yes: true, set: new Set(['a']) }),
      )
    }
    const alike = (sent: Sent): unknown => [
      sent.headers['content-type'],
      sent.headers['x-amz-target'],
      JSON.parse(textOf(sent), (name, value: unknown) =>
        name === 'ClientRequestToken' ? 'random' : value,
      ),
    ]
    const half = requests.length / 2
    expect(requests.slice(0, half).map(alike)).toEqual(requests.slice(half).map(alike))
    expect(new Set(ways().slice(0, half))).toEqual(new Set(['fast']))
    expect(new Set(ways().slice(half))).toEqual(new Set(['SDK']))
    for (const sent of requests.slice(0, half)) {
      expect(sent.headers['content-length']).toBe(String(Buffer.byteLength(textOf(sent))))
    }
  })

  it.each([
    ['long-term', { ...CREDENTIALS, sessionToken: undefined }],
    ['session', CREDENTIALS],
  ])('go requests that AWS’s own signer signs alike: %s credentials', async (_, credentials) => {
    const { store, requests } = openStore(undefined, { credentials: () => credentials })
    await everyCall(store)
    for (const sent of requests) {
      expect(sent.headers['authorization']).toBe(await authorizationOf(sent, credentials))
      expect(sent.headers['x-amz-security-token']).toBe(credentials.sessionToken)
      const date = dateOf(sent.headers['x-amz-date'] ?? '')
      expect(Math.abs(date.getTime() - Date.now())).toBeLessThan(60_000)
    }
  })

  it('go credentials that Lambda exchanges', async () => {
    let accessKeyId = 'first'
    const credentials = () => ({ ...CREDENTIALS, accessKeyId, secretAccessKey: `${accessKeyId}!` })
    const { store, requests } = openStore(undefined, { credentials })
    await store.read([KEY])
    accessKeyId = 'second'
    await store.read([KEY])
    const [, sent] = requests
    expect(sent?.headers['authorization']).toContain('Credential=second/')
    expect(sent?.headers['authorization']).toBe(
      sent && (await authorizationOf(sent, credentials())),
    )
  })

  it('go bytes of the user’s, which come back as bytes', async () => {
    const bytes = Buffer.from([0, 255, 7])
    const text = bytes.toString('base64')
    const Item = {
      id: { B: text },
      set: { BS: [text] },
      map: { M: { B: { S: 'x' }, BS: { N: '1' } } },
    }
    const { store, requests } = openStore(() => ({ body: JSON.stringify({ Item }) }))
    const read = await store.readUser({ TableName: 'users', Key: { id: bytes } })
    expect(requests.map((sent) => JSON.parse(textOf(sent)) as object)).toMatchObject([
      { Key: { id: { B: text } } },
    ])
    const plain = Uint8Array.from(bytes)
    expect(read).toEqual({ id: plain, set: new Set([plain]), map: { B: 'x', BS: 1 } })
  })

  it('an attribute of other programs is not taken for the prototype', async () => {
    const body =
      '{"Item":{"pk":{"S":"p"},"format":{"N":"1"},"__proto__":{"SS":["a"]},"bytes":{"B":"AA=="}}}'
    const { store } = openStore(() => ({ body }))
    const [read] = await store.read([KEY])
    const item = read?.kind === 'found' ? read.item : undefined
    expect(item).toEqual({ pk: 'p', format: 1 })
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype)
  })

  it('a refused write costs one request, and shows the item', async () => {
    const Item = { pk: { S: 'p' }, sk: { S: 's' }, format: { N: '1' }, n: { N: '1' } }
    const __type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException'
    const body = JSON.stringify({ __type, message: 'The conditional request failed', Item })
    const { store, ways } = openStore(() => ({ status: 400, body }))
    for (let times = 0; times < 3; times++) {
      const refused = { kind: 'refused', item: { ...KEY, format: 1, n: 1 } }
      expect(await store.create(items(1))).toEqual([refused])
      expect(await store.update([{ key: KEY, where: [], set: { a: 1 } }])).toEqual([refused])
    }
    expect(ways()).toEqual(Array.from({ length: 6 }, () => 'fast'))
  })

  it('a cancelled transaction costs one request, and says by whom it was refused', async () => {
    const Item = { pk: { S: 'p' }, sk: { S: 's' }, format: { N: '1' }, n: { N: '1' } }
    const __type = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException'
    const CancellationReasons = [{ Code: 'ConditionalCheckFailed', Message: 'no', Item }]
    const body = JSON.stringify({ __type, Message: 'cancelled', CancellationReasons })
    const { store, ways } = openStore(() => ({ status: 400, body }))
    const outcome = await store.transact({ key: KEY, where: [], set: { a: 1 } }, [])
    expect(outcome).toEqual({ kind: 'refused', by: 'claim', item: { ...KEY, format: 1, n: 1 } })
    expect(ways()).toEqual(['fast'])
  })
})

async function authorizationOf(
  { headers: sent, body, ...request }: Sent,
  { accessKeyId, secretAccessKey, sessionToken }: typeof CREDENTIALS,
): Promise<string | undefined> {
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    region: 'eu-west-1',
    service: 'dynamodb',
    sha256: new DynamoDBClient({ region: 'eu-west-1' }).config.sha256,
    applyChecksum: false,
  })
  const headers: Record<string, string> = {}
  for (const name of ['content-type', 'host', 'x-amz-target']) headers[name] = sent[name] ?? ''
  const signed = await signer.sign(
    { ...request, headers, body, method: 'POST', query: {} },
    { signingDate: dateOf(sent['x-amz-date'] ?? '') },
  )
  return signed.headers['authorization']
}

function dateOf(text: string): Date {
  return new Date(text.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))
}
