import type { Context } from 'aws-lambda'
import type { LocalCloud } from 'lineclear/local'
import { idempotent, lockTokens, onceForever } from 'lineclear'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { namedKeys } from '../../../src/tools/operator/item/namedKeys.ts'
import { type OperatorHarness, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const http = (key: string, authorizer?: object) => ({
  version: '2.0',
  requestContext: { http: { method: 'POST', path: '/refunds' }, ...(authorizer && { authorizer }) },
  headers: { 'Idempotency-Key': key },
  body: '{"n":1}',
})

const jwt = (sub: string) => ({ jwt: { claims: { iss: 'https://id.example', sub } } })

async function called({ store, clock, options }: OperatorHarness) {
  const own = { clock, logger: options.logger }
  const shared = { ...own, store }
  const answer = async (_event: object, _context: Context) => ({ statusCode: 200, body: 'made' })
  const mine = idempotent({ ...shared, name: 'refunds' }, answer)
  await mine(http('"order-5"', jwt('ann')), lambdaContext())
  const open = idempotent({ ...shared, name: 'open/api', tenant: 'none' }, answer)
  await open(http('order-5'), lambdaContext())
  const numbered = idempotent(
    { ...shared, name: 'orders', key: (order: Order) => [order.id, order.line] },
    async (order: Order) => order.id,
  )
  await numbered({ id: 17, line: 'a b' })
  const plain = idempotent(
    {
      ...shared,
      name: 'plain',
      hash: 'plain',
      key: (order: Order) => order.line,
      tenant: () => 'acme/eu',
    },
    async (order: Order) => order.id,
  )
  await plain({ id: 1, line: 'o-1' })
  await lockTokens({ store, ...own, name: 'locks' }).begin('pay-9', 'me', 1_000)
  await onceForever({ store, ...own, name: 'callbacks', clients: options.clients }).acquire('tx-1')
}

interface Order {
  readonly id: number
  readonly line: string
}

let harness: OperatorHarness
beforeAll(async () => {
  harness = await operatorHarness(cloud)
  await called(harness)
})

const explained = async (...args: readonly string[]) => {
  const { code, out, err } = await harness.cli('explain', ...args)
  return { code, title: out.split('\n')[0] ?? '', err, out }
}

describe('an Idempotency-Key is found by what its caller has sent', () => {
  it.each<[string, readonly string[], RegExp]>([
    [
      'for any caller',
      ['--name', 'open/api', '--key', 'order-5'],
      /^key open%2Fapi\/[0-9a-f]{64}$/,
    ],
    [
      'by its caller',
      [
        '--name',
        'refunds',
        '--key',
        'order-5',
        '--tenant',
        'https://id.example',
        '--tenant',
        'ann',
      ],
      /^key refunds@jwt%0Ahttps.*ann\/[0-9a-f]{64}$/,
    ],
    [
      'as the header, in quotes',
      ['--name', 'refunds', '--key', '"order-5"', '--scan'],
      /^key refunds@jwt%0Ahttps/,
    ],
    [
      'of two parts',
      ['--name', 'orders', '--key', '17', '--key', 'a b'],
      /^key orders\/[0-9a-f]{64}$/,
    ],
    [
      'plain, of a tenant',
      ['--name', 'plain', '--key', 'o-1', '--tenant', 'acme/eu'],
      /^key plain@acme%252Feu\/o-1$/,
    ],
    ['a lock token', ['--name', 'locks', '--key', 'pay-9'], /^key locks\/pay-9$/],
    ['an event', ['--name', 'callbacks', '--key', 'tx-1'], /^event callbacks\/tx-1/],
  ])('%s', async (_how, args, title) => {
    const found = await explained(...args)
    expect(found).toMatchObject({ code: 0, err: '' })
    expect(found.title).toMatch(title)
  })
})

it('the audit finds its changes by what the caller has sent, too', async () => {
  const id = 'open/order-7'
  const token = { sk: 'token', status: 'unknown', attemptId: 'a', attempt: 1, fence: 1 }
  await harness.store.create([{ pk: namedKeys(id).at(-1)?.pk ?? '', ...token }])
  await harness.apply('decide', id, 'free', '--not-done', 'section', '--why', 'not charged')
  expect((await harness.cli('explain', '--history', id)).out).toMatch(/decide free.*not charged/)
})

it('a key of another caller, name or number is not found, and that is told with the cure', async () => {
  for (const args of [
    ['--name', 'refunds', '--key', 'order-5'],
    ['--name', 'refunds', '--key', 'order-5', '--tenant', 'bob'],
    ['--name', 'refund', '--key', 'order-5', '--scan'],
    ['--name', 'orders', '--key', '17'],
  ]) {
    expect(await explained(...args)).toMatchObject({ code: 4, out: '' })
  }
  const { err } = await explained('--name', 'refunds', '--key', 'order-5')
  expect(err).toMatch(/give --tenant, or --scan, which reads the whole table/)
})

it('an id that the table does not have leads to its key, and to the dead-letter queues', async () => {
  const { err } = await explained('refunds/order-5')
  expect(err).toContain('lineclear explain --name refunds --key order-5, with --tenant or --scan')
  expect(err).toContain('lineclear dlq peek --id order-5')
  const scanned = await explained('order-6', '--scan')
  expect(scanned.code).toBe(4)
  expect(scanned.err).toContain('lineclear explain --name NAME --key order-6')
  expect(await explained('', '--scan')).toMatchObject({ code: 2, out: '' })
})

it('show prints its item', async () => {
  const { code, out } = await harness.cli(
    'explain',
    '--items',
    '--name',
    'locks',
    '--key',
    'pay-9',
    '--json',
  )
  expect([code, JSON.parse(out)]).toMatchObject([0, { items: [{ pk: 'key#locks/pay-9' }] }])
})

it.each<[string, readonly string[]]>([
  ['a key without its name', ['explain', '--key', 'k']],
  ['a name without a key', ['explain', '--name', 's']],
  ['a tenant alone', ['explain', '--tenant', 't']],
  ['a key and an id', ['explain', 'orders/1', '--name', 's', '--key', 'k']],
  ['an empty key', ['explain', '--items', '--name', 's', '--key', '']],
  [
    'five parts',
    [
      'explain',
      '--items',
      '--name',
      's',
      ...['a', 'b', 'c', 'd', 'e'].flatMap((part) => ['--key', part]),
    ],
  ],
])('%s is a usage error', async (_what, args) => {
  const { code, err } = await harness.cli(...args)
  expect(code).toBe(2)
  expect(err).not.toBe('')
})

it('hostile text names no other item and moves no cursor', async () => {
  for (const key of ['\u001b[2J', 'a/b', '../x', '\ud800', 'k#1', "'; rm -r ~"]) {
    const { code, err } = await explained('--name', `x\u001b[2J/${key}`, '--key', key)
    expect(code).toBe(4)
    expect(err).not.toContain('\u001b')
  }
})
