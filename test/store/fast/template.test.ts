import { describe, expect, it } from 'vitest'
import { templateOf } from '../../../src/store/dynamodb/fast/http.ts'

const input = { TableName: 'lineclear', Key: { pk: { S: 'ä' } } }
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.GetItem',
  Host: 'localhost:8000',
  'user-agent': 'aws-sdk-js/3',
  'amz-sdk-request': 'attempt=2; max=3',
  'X-Amzn-Trace-Id': 'Root=1',
  authorization:
    'AWS4-HMAC-SHA256 Credential=id/20261122/us-gov-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a',
}
const sent = {
  method: 'POST',
  protocol: 'http:',
  hostname: 'localhost',
  port: 8_000,
  path: '/db',
  query: {},
  headers,
  body: Buffer.from(JSON.stringify(input)),
}

describe('a template', () => {
  it('has what all calls have in common', () => {
    expect(templateOf('GetItem', input, sent)).toEqual({
      signingRegion: 'us-gov-west-1',
      request: {
        method: 'POST',
        protocol: 'http:',
        hostname: 'localhost',
        port: 8_000,
        path: '/db',
        query: {},
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          host: 'localhost:8000',
          'user-agent': 'aws-sdk-js/3',
        },
      },
    })
  })

  it.each<[string, object]>([
    ['another method', { method: 'GET' }],
    ['a query', { query: { key: 'value' } }],
    ['no host', { hostname: undefined }],
    ['another format', { headers: { ...headers, 'content-type': 'application/cbor' } }],
    ['another operation', { headers: { ...headers, 'x-amz-target': 'DynamoDB_20300101.GetItem' } }],
    ['a header that nobody knows', { headers: { ...headers, 'x-proxy-key': 'secret' } }],
    ['two values of one header', { headers: { ...headers, 'user-agent': ['a', 'b'] } }],
    ['no signature', { headers: { ...headers, authorization: undefined } }],
    ['a bearer token', { headers: { ...headers, authorization: 'Bearer token' } }],
    ['a body of other values', { body: JSON.stringify({ ...input, TableName: 'other' }) }],
    ['a body with more members', { body: JSON.stringify({ ...input, ConsistentRead: true }) }],
    ['a body that is not JSON', { body: 'TableName=lineclear' }],
    ['a body that is a stream', { body: {} }],
  ])('is not read from a request with %s', (_, change) => {
    expect(templateOf('GetItem', input, { ...sent, ...change })).toBeUndefined()
  })

  it.each([undefined, null, 'text', {}])('is not read from %j', (request) => {
    expect(templateOf('GetItem', input, request)).toBeUndefined()
  })
})
