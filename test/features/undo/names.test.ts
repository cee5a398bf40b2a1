import { absent, compensate, ConfigError, defineFlow, type FlowContext } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, startFlowCloud } from '../../flow/flowHarness.ts'
import { notIn } from '../../proof/hostile/mode.ts'
import { Order, orderFlow, stock } from './harness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')
const ROW = { TableName: 'counts', Key: { id: 'row' } }
// What a caller in JavaScript could call: all of the context.
type Ctx = FlowContext<Record<string, never>, Record<string, never>> & {
  sql(name: string, work: () => unknown): Promise<unknown>
}

const CALLS: readonly (readonly [string, (ctx: Ctx) => Promise<unknown>, string])[] = [
  [
    'another name',
    (ctx) => ctx.write('other', stock('row', 1)),
    'expected a name of the option undo',
  ],
  ['another call', (ctx) => ctx.call('other', () => 1), 'expected a name of the option undo'],
  ['ctx.sql', (ctx) => ctx.sql('other', () => 1), 'expected a name of the option undo'],
  ['a long name in SQL', (ctx) => ctx.sql(`line:${'é'.repeat(126)}`, () => 1), 'at most 255 bytes'],
  ['a name with the character 0', (ctx) => ctx.sql('line:\0', () => 1), 'the character 0'],
  [
    'one name for two effects',
    async (ctx) => {
      await ctx.call('reserve', () => 1)
      await ctx.write('reserve', stock('row', 1))
    },
    'ctx.call has this name',
  ],
]

describe('a stage with undo', () => {
  it.each(CALLS)('refuses %s before it does anything', ALONE, async (_what, call, text) => {
    const { flow, harness, start } = orderFlow(cloud)
    let thrown: unknown
    const book = flow.stageHandler('book', async (_order, ctx) => {
      thrown = await call(ctx as unknown as Ctx).catch((error: unknown) => error)
    })
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    expect(thrown).toBeInstanceOf(ConfigError)
    expect(String(thrown)).toContain(text)
    expect(harness.count('row')).toBe(0)
  })

  it('keeps the payload that its undo will get, for the retention', ALONE, async () => {
    const { book, harness, start } = orderFlow(cloud)
    await start('r1', 'pear')
    await deliver(cloud, 'book', book)
    const kept = harness.store.items().find(({ sk }) => sk === 'input#r1#book')
    expect(kept).toMatchObject({ body: '{"key":"k","sku":"pear"}' })
    expect(Number(kept?.['ttl']) * 1_000).toBeGreaterThan(harness.clock.now() + 29 * 86_400_000)
  })
})

describe('an undo', () => {
  it('needs a guard for what sets or removes anything, beside the newer run', ALONE, async () => {
    const refused: string[] = []
    const { harness } = orderFlow(cloud)
    const flow = defineFlow({
      ...harness.options,
      name: 'trip',
      key: ({ key }) => key,
      onConflict: 'supersede',
      stages: {
        book: {
          schema: Order,
          queueUrl: cloud.queueUrl('book'),
          undo: compensate(Order, {
            row: async (_order, ctx) => {
              const calls = [
                () => ctx.write('put', { ...ROW, put: { n: 1 } }),
                () => ctx.write('delete', { ...ROW, delete: true }),
                () => ctx.write('set', { ...ROW, set: { n: 1 } }),
                () => ctx.write('guarded', { ...ROW, put: { n: 1 }, guard: absent() }),
              ]
              for (const call of calls) {
                const result = await call().catch((error: unknown) => String(error))
                refused.push(typeof result === 'string' ? result.slice(0, 11) : 'allowed')
              }
            },
          }),
        },
        ship: { schema: Order, queueUrl: cloud.queueUrl('ship') },
      },
    })
    const book = flow.stageHandler('book', async (order, ctx) => {
      await ctx.write('row', stock('row', 1))
      await ctx.next('ship', order)
    })
    const at = harness.clock.now() - 1_000
    await flow.start({ key: 'k', sku: 'a' }, { uniqueRequestId: 'r1', sentAt: at })
    await deliver(cloud, 'book', book)
    await flow.start({ key: 'k', sku: 'b' }, { uniqueRequestId: 'r2', sentAt: at + 1 })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'book', book)
    expect(refused.slice(0, 4)).toEqual(['ConfigError', 'ConfigError', 'ConfigError', 'allowed'])
  })
})

describe('the option undo', () => {
  const stages = { book: { schema: Order, queueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/q' } }
  const flowWith = (book: object) => () => {
    const { harness } = orderFlow(cloud)
    return defineFlow({
      ...harness.options,
      name: 'x',
      key: () => 'k',
      stages: { book: { ...stages.book, ...book } },
    })
  }

  it.each([
    ['what is not made by compensate', { undo: { reserve: () => {} } }, 'stages.book.undo'],
    [
      'a handler that is none',
      { undo: compensate(Order, { a: 1 as never }) },
      'stages.book.undo.a',
    ],
  ])('refuses %s', (_what, book, text) => {
    expect(flowWith(book)).toThrow(text)
  })

  it('takes no other database than its flow has', () => {
    const effects = { raise: () => {}, made: () => {}, open: () => {} }
    const undo = compensate(Order, { a: 'keep' }, { sql: effects as never })
    expect(flowWith({ undo })).toThrow('stages.book.undo.sql')
    const wrong = () => compensate(Order, {}, { sql: {} as never })
    expect(wrong).toThrow('compensate: sql: expected SQL effects')
  })

  it.each([
    ['beside no stage with undo', true],
    ['that is a text', 'yes' as never],
  ])('refuses undoDead %s', (_what, undoDead: boolean) => {
    const { harness } = orderFlow(cloud)
    const define = () =>
      defineFlow({ ...harness.options, name: 'x', key: () => 'k', undoDead, stages })
    expect(define).toThrow('undoDead')
  })

  it('needs the schema of the stage first', () => {
    const inJavaScript = compensate as (...given: readonly unknown[]) => unknown
    expect(() => inJavaScript({ reserve: () => 1 })).toThrow(
      'compensate: the first argument: expected the schema of the stage; got {}. Write compensate(schema, { name: handler }).',
    )
    expect(() => inJavaScript(Order)).toThrow(
      'compensate: the second argument: expected { name: handler }; got nothing.',
    )
  })

  it.each([
    [
      'what is not made by compensate',
      { undo: 'yes' },
      'awaitingSteps.paid.undo: expected compensate',
    ],
    [
      'no queue for its messages',
      { undo: compensate(Order, {}) },
      'awaitingSteps.paid.queueUrl: expected the URL of its queue beside undo',
    ],
    [
      'another database than its flow has',
      {
        queueUrl: stages.book.queueUrl,
        undo: compensate(
          Order,
          {},
          { sql: { raise: () => {}, made: () => {}, open: () => {} } as never },
        ),
      },
      'awaitingSteps.paid.undo.sql',
    ],
  ])('beside an awaited step refuses %s', (_what, step, text) => {
    const { harness } = orderFlow(cloud)
    const awaitingSteps = { paid: { schema: Order, id: () => 'a', ...step } } as never
    const define = () =>
      defineFlow({ ...harness.options, name: 'x', key: () => 'k', stages, awaitingSteps })
    expect(define).toThrow(text)
  })

  it('needs the URL of the queue of its stage', () => {
    const { harness } = orderFlow(cloud)
    const book = { schema: Order, undo: compensate(Order, { a: 'keep' }) }
    const define = () =>
      defineFlow({ ...harness.options, name: 'x', key: () => 'k', stages: { book } })
    expect(define).toThrow('stages.book.queueUrl')
  })
})
