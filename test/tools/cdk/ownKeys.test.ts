import { defineFlow, recordHandler, type Store } from 'lineclear'
import { LineclearConsumer, LineclearFlow, LineclearTable } from 'lineclear/cdk'
import { memoryCloud, memoryStore } from 'lineclear/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Template } from '../../documents/deploy/packaged.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { ENTRY, functionIn, newStack, templateOf } from './stacks.ts'

interface Statement {
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** As IAM compares: `*` and `?` stand for others, `${*}` for itself. */
function fits(pattern: string, text: string): boolean {
  const source = pattern.replaceAll(/\$\{([*?$])\}|[*?]|[^\w]/g, (part, own?: string) => {
    if (own !== undefined) return `\\${own}`
    return part === '*' ? '.*' : part === '?' ? '.' : `\\${part}`
  })
  return new RegExp(`^${source}$`, 's').test(text)
}

/** Of the operators that the grants use; another one is a mistake of the test. */
function holds(operator: string, patterns: readonly unknown[], keys: readonly string[]): boolean {
  if (operator === 'ForAllValues:StringLike') {
    return keys.every((key) => patterns.some((each) => fits(String(each), key)))
  }
  if (operator === 'Null') return String(patterns[0]) === String(keys.length === 0)
  throw new Error(`the simulator does not know ${operator}`)
}

/** Whether these statements allow an action on items with these partition keys; none: the request has no key. */
function allows(all: readonly Statement[], action: string, keys: readonly string[]): boolean {
  const meets = ({ Condition = {} }: Statement): boolean =>
    Object.entries(Condition).every(([operator, of]) =>
      holds(operator, listed(of['dynamodb:LeadingKeys']), keys),
    )
  return all.some(
    (each) => each.Effect === 'Allow' && listed(each.Action).includes(action) && meets(each),
  )
}

let template: Template
beforeAll(() => {
  const stack = newStack('Own')
  const table = new LineclearTable(stack, 'Table')
  const shared = { table, entry: ENTRY }
  new LineclearConsumer(stack, 'orders', { ...shared, formerNames: ['old-orders'] })
  new LineclearConsumer(stack, 'orders2', {
    ...shared,
    delays: true,
    circuitBreaker: true,
    keyNames: ['a*b', 'pay/eu'],
  })
  const trip = new LineclearFlow(stack, 'trip', {
    ...shared,
    stages: { book: {}, pay: {} },
    answers: { paid: {} },
  })
  const webhook = functionIn(stack, 'Webhook')
  trip.grantAnswer(webhook)
  template = templateOf(stack)
})

/** All statements about the table that the role of a construct has. */
function statementsOf(begin: string): readonly Statement[] {
  return Object.entries(template.Resources)
    .filter(([id, { Type }]) => Type === 'AWS::IAM::Policy' && id.startsWith(begin))
    .flatMap(([, { Properties }]) => {
      const { Statement } = (Properties as { PolicyDocument: { Statement: Statement[] } })
        .PolicyDocument
      return Statement.filter(({ Action }) => String(Action).includes('dynamodb:'))
    })
}

/** A store that notes the partition keys of every request. */
function noting(seen: Set<string>): Store {
  const store = memoryStore()
  const note = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, each] of Object.entries(value)) {
      if (name === 'pk' && typeof each === 'string') seen.add(each)
      else note(each)
    }
  }
  return new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name)
      if (typeof own !== 'function') return own
      return (...given: unknown[]): unknown => {
        note(given)
        return Reflect.apply(own, target, given)
      }
    },
  })
}

const Order = z.object({ orderId: z.string() })

async function keysOfOrders(): Promise<readonly string[]> {
  const seen = new Set<string>()
  const cloud = memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 3 } }, dead: {} },
  })
  const handler = recordHandler(
    {
      name: 'orders',
      store: noting(seen),
      clients: cloud.clients,
      logger: quietLogger(),
      schema: Order,
      id: ({ orderId }) => orderId,
    },
    async ({ orderId }, ctx) => {
      await ctx.call('charge', async () => 'done', { ifUnknown: 'stop' })
      if (orderId === 'bad') throw new Error('no')
    },
  )
  for (const orderId of ['one', 'bad']) cloud.send('orders', { orderId })
  await cloud.drain({ orders: handler })
  return [...seen]
}

async function keysOfTrip() {
  const seen = new Set<string>()
  const cloud = memoryCloud({ queues: { book: {}, pay: {}, paid: {} } })
  const flow = defineFlow({
    name: 'trip',
    store: noting(seen),
    clients: cloud.clients,
    logger: quietLogger(),
    key: ({ orderId }) => orderId,
    stages: {
      book: { schema: Order, queueUrl: cloud.queueUrl('book') },
      pay: { schema: Order, queueUrl: cloud.queueUrl('pay') },
    },
    awaitingSteps: {
      paid: { schema: Order, id: ({ orderId }) => orderId, queueUrl: cloud.queueUrl('paid') },
    },
  })
  const book = flow.stageHandler('book', async (order, ctx) => ctx.next('pay', order))
  const pay = flow.stageHandler('pay', async ({ orderId }, ctx) => {
    await ctx.awaitStep('paid', orderId, () => {})
  })
  const paid = flow.answerHandler('paid', async () => {}, { onLate: () => {} })
  await flow.start({ orderId: 'one' })
  await cloud.drain({ book, pay, paid })
  await flow.answer('paid', { orderId: 'one' })
  await cloud.drain({ book, pay, paid })
  const onTime = new Set(seen)
  await flow.start({ orderId: 'two' })
  await cloud.drain({ book, pay, paid })
  await flow.reset('two')
  cloud.send('paid', { orderId: 'two' })
  await cloud.drain({ book, pay, paid })
  const late = [...seen].filter((key) => key.startsWith('lock#'))
  return { onTime: [...onTime], late }
}

const ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
]
const CALLS = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
]

function expectAll(
  role: string,
  actions: readonly string[],
  keys: readonly string[],
  may: boolean,
) {
  const statements = statementsOf(role)
  expect(statements).not.toEqual([])
  for (const action of actions) {
    for (const key of keys) {
      expect([role, action, key, allows(statements, action, [key])]).toEqual([
        role,
        action,
        key,
        may,
      ])
    }
  }
}

describe('the role of a function touches the items of its own names', () => {
  it('of a consumer: all that its handler touches, and nothing of the others', async () => {
    const own = await keysOfOrders()
    expect(own).toEqual(expect.arrayContaining(['lock#orders/one', 'lock#orders/bad']))
    expectAll('ordersRole', ACTIONS, [...own, 'lock#old-orders/one'], true)
    expectAll('orders2Role', ACTIONS, own, false)
    expectAll('tripbookRole', ACTIONS, own, false)
    const others = ['lock#orders2/one', 'flow#trip/one', 'key#orders/one', 'later#1', 'circuits']
    expectAll('ordersRole', ACTIONS, [...others, 'operation#1', 'pauses', 'searches'], false)
  })

  it('of a flow: of each stage, answer step and webhook', async () => {
    const { onTime: own, late } = await keysOfTrip()
    expect(own).toEqual(expect.arrayContaining(['flow#trip/one']))
    expect(own.some((key) => key.startsWith('await#trip/'))).toBe(true)
    expect(late).toEqual([expect.stringMatching(/^lock#trip\.paid\//)])
    for (const role of ['tripbookRole', 'trippayRole', 'trippaidRole']) {
      expectAll(role, ACTIONS, own, true)
      expectAll(role, ACTIONS, ['flow#trip2/one', 'lock#orders/one', 'await#other/x'], false)
    }
    // Only an awaited step claims apart, what comes too late.
    expectAll('trippaidRole', ACTIONS, late, true)
    expectAll('trippaidRole', ACTIONS, ['lock#trip.pay/one'], false)
    for (const stage of ['book', 'pay']) {
      expectAll(`trip${stage}Role`, ACTIONS, [...late, `lock#trip.${stage}/one`], false)
    }
    expectAll('Webhook', CALLS, own, true)
    expectAll('Webhook', CALLS, ['flow#other/one', 'lock#orders/one', 'key#a/b'], false)
    expectAll('ordersRole', ACTIONS, own, false)
  })

  it('with delays, a circuit breaker and names of keys: those too, and a star in a name is a star', () => {
    const own = ['later#1', 'circuits', 'key#a*b/k', 'key#a*b@t/k', 'once#a*b/k', 'key#pay%2Feu/k']
    expectAll('orders2Role', ACTIONS, own, true)
    expectAll('orders2Role', ACTIONS, ['key#axb/k', 'key#pay/k', 'key#a*/k'], false)
  })

  it('a request without a key, or with one of another function among its own, is refused', () => {
    for (const action of ACTIONS) {
      expect(allows(statementsOf('ordersRole'), action, [])).toBe(false)
      const two = ['lock#orders/one', 'lock#orders2/one']
      expect(allows(statementsOf('ordersRole'), action, two)).toBe(false)
    }
    for (const action of [
      'dynamodb:Scan',
      'dynamodb:Query',
      'dynamodb:PartiQLSelect',
      'dynamodb:DeleteItem',
    ]) {
      expect(allows(statementsOf('ordersRole'), action, ['lock#orders/one'])).toBe(false)
    }
  })

  it.each(['a*', 'a?', 'a/b', ''])('a name that would widen the grant is refused: %j', (name) => {
    const stack = newStack('Wide')
    const table = new LineclearTable(stack, 'Table')
    expect(
      () => new LineclearConsumer(stack, 'one', { table, entry: ENTRY, formerNames: [name] }),
    ).toThrow(/expected the name/)
    expect(
      () => new LineclearFlow(stack, 'two', { table, entry: ENTRY, name, stages: { a: {} } }),
    ).toThrow(/expected the name/)
  })
})
