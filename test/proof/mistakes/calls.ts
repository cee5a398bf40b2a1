import { absent, atLeast, newerThan } from 'lineclear'
import { any, type Call } from './row.ts'

const stock = { TableName: 'stock', Key: { sku: 's' } }
const BUS = 'arn:aws:events:eu-west-1:1:event-bus/shop'
export const CALLS: readonly Call[] = [
  [
    'newerThan a Date',
    (ctx) => ctx.write('w', { ...stock, put: {}, guard: newerThan('at', any(new Date())) }),
    /newerThan.*Date/,
  ],
  [
    'newerThan nothing',
    (ctx) => ctx.write('w', { ...stock, put: {}, guard: newerThan('at', any(undefined)) }),
    /newerThan/,
  ],
  [
    'at least a flag',
    (ctx) => ctx.write('w', { ...stock, put: {}, guard: atLeast('n', any(true)) }),
    /atLeast/,
  ],
  ['no target', (ctx) => ctx.send(any(undefined), {}), /send/],
  ['a queue name', (ctx) => ctx.send('mail', {}), /send: expected the URL/],
  ['a topic for a queue', (ctx) => ctx.send('arn:aws:sns:x:1:t', {}), /send: expected the URL/],
  ['a queue for a topic', (ctx) => ctx.publish('https://sqs.x/1/q', {}), /publish/],
  [
    'an event without a source',
    (ctx) => ctx.publish(BUS, {}, { detailType: 'X' }),
    /source: expected/,
  ],
  [
    'a source of AWS',
    (ctx) => ctx.publish(BUS, {}, { source: 'aws.s3', detailType: 'X' }),
    /does not begin with aws\./,
  ],
  [
    'a list for an event',
    (ctx) => ctx.publish(BUS, [], { source: 'my.shop', detailType: 'X' }),
    /expected an object/,
  ],
  ['an undefined payload', (ctx) => ctx.send('https://sqs.x/1/q', undefined), /payload/],
  [
    'a forgotten await',
    (ctx) => ctx.send('https://sqs.x/1/q', Promise.resolve(1)),
    /await|Promise/,
  ],
  ['a Map as payload', (ctx) => ctx.send('https://sqs.x/1/q', new Map()), /Map/],
  ['NaN in a payload', (ctx) => ctx.send('https://sqs.x/1/q', { n: NaN }), /NaN/],
  [
    'DelaySeconds',
    (ctx) => ctx.send('https://sqs.x/1/q', {}, any({ DelaySeconds: 5 })),
    /DelaySec/,
  ],
  ['a delay of an hour', (ctx) => ctx.send('https://sqs.x/1/q', {}, { delay: '1h' }), /15 minutes/],
  ['no group', (ctx) => ctx.send('https://sqs.x/1/q.fifo', {}), /groupId/],
  ['Item for put', (ctx) => ctx.write('w', any({ ...stock, Item: {} })), /Item/],
  ['a write of nothing', (ctx) => ctx.write('w', any(stock)), /nothing to write/],
  ['write of nothing', (ctx) => ctx.write('a', any(stock)), /write/],
  ['write without a name', (ctx) => ctx.write('', any({ ...stock, add: { n: 1 } })), /name/],
  [
    'an expression',
    (ctx) => ctx.write('w', any({ ...stock, UpdateExpression: 'a' })),
    /UpdateExpression/,
  ],
  [
    'a guard that is not called',
    (ctx) => ctx.write('w', any({ ...stock, put: {}, guard: absent })),
    /guard/,
  ],
  [
    'an unknown guard',
    (ctx) => ctx.write('w', any({ ...stock, put: {}, guard: { is: 1 } })),
    /guard/,
  ],
  ['a Date', (ctx) => ctx.write('w', any({ ...stock, put: { at: new Date() } })), /at.*Date/],
  [
    'an empty key',
    (ctx) => ctx.write('w', { TableName: 'stock', Key: { sku: '' }, put: {} }),
    /sku/,
  ],
  ['no key', (ctx) => ctx.write('w', any({ TableName: 'stock', put: {} })), /Key/],
  ['no table', (ctx) => ctx.write('w', any({ Key: { sku: 's' }, put: {} })), /TableName/],
  [
    'another key',
    (ctx) => ctx.write('w', { TableName: 'stock', Key: { id: 's' }, put: {} }),
    /id|sku/,
  ],
  [
    'a missing table',
    (ctx) => ctx.write('w', { TableName: 'stocks', Key: { sku: 's' }, put: {} }),
    /stocks/,
  ],
  ['get without a key', (ctx) => ctx.get(any({ TableName: 'stock' })), /Key/],
  ['call without a function', (ctx) => ctx.call('charge', any(5)), /call/],
  ['call without a name', (ctx) => ctx.call(any(undefined), () => 1), /name/],
  ['effect: exactly', (ctx) => ctx.call('charge', () => 1, any({ effect: 'exactly' })), /effect/],
  [
    'ifUnknown in another word',
    (ctx) => ctx.call('c', () => 1, any({ ifUnknown: 'verify' })),
    /ifUnknown/,
  ],
  [
    'two calls of one name',
    async (ctx) => [await ctx.call('c', () => 1), await ctx.call('c', () => 2)],
    /'c'|twice/,
  ],
  ['the message for a key', (ctx) => ctx.idempotencyKey(any({})), /idempotencyKey|name/],
]
