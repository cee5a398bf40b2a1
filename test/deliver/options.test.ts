import { ConfigError, recordHandler } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'

const good = { name: 'orders', store: memoryStore() }

/** Wrong options come from JavaScript, or from an environment variable that is not set. */
function make(wrong: object, handle: unknown): () => unknown {
  return (): unknown => Reflect.apply(recordHandler, undefined, [{ ...good, ...wrong }, handle])
}

describe('options', () => {
  it.each([
    [{ name: '' }, 'name', '""'],
    [{ name: 'a/b' }, 'name', '"a/b"'],
    [{ name: undefined }, 'name', 'nothing'],
    [{ store: undefined }, 'store', 'nothing'],
    [{ store: {} }, 'store', '{}'],
    [{ schema: { parse: 1 } }, 'schema', '{"parse":1}'],
    [{ schema: null }, 'schema', 'null'],
    [{ parse: 'xml' }, 'parse', '"xml"'],
    [{ envelopes: [undefined] }, 'envelopes', '["undefined"]'],
    [{ envelopes: 'all' }, 'envelopes', '"all"'],
    [{ id: 'orderId' }, 'id', '"orderId"'],
    [{ retry: { maxAttempts: 0 } }, 'retry.maxAttempts', '0'],
    [{ retry: { maxAttempts: 1.5 } }, 'retry.maxAttempts', '1.5'],
    [{ retry: { transport: 'sns' } }, 'retry.transport', '"sns"'],
    [{ retry: { delay: true } }, 'retry.delay', 'true'],
    [{ retry: { delay: 'soon' } }, 'retry.delay', '"soon"'],
    [{ retry: { delay: [] } }, 'retry.delay', 'none'],
    [{ retry: { delay: ['1s', 'soon'] } }, 'retry.delay[1]', '"soon"'],
    [{ offload: {} }, 'offload', '{}'],
    [{ retry: { maxAge: 'a day' } }, 'retry.maxAge', '"a day"'],
    [{ retry: { maxAge: '31d' } }, 'retry.maxAge', '"31d"'],
    [{ concurrency: 0 }, 'concurrency', '0'],
    [{ concurrency: '5' }, 'concurrency', '"5"'],
    [{ retention: '1h' }, 'retention', '"1h"'],
    [{ timeoutMargin: -1 }, 'timeoutMargin', '-1'],
    [{ deadLetterQueueUrl: 'dead' }, 'deadLetterQueueUrl', '"dead"'],
    [{ queueUrl: '' }, 'queueUrl', '""'],
    [{ queueUrl: undefined }, 'queueUrl', 'nothing'],
    [{ deadLetterQueueUrl: undefined }, 'deadLetterQueueUrl', 'nothing'],
    [{ retry: 3 }, 'retry', '3'],
    [{ logger: console.log }, 'logger', 'a function'],
    [{ clients: { sqs: {} } }, 'sqs', '{}'],
    [{ onSettled: true }, 'onSettled', 'true'],
  ])('%j: names the option, what was expected and what came', (wrong, option, came) => {
    expect(make(wrong, () => {})).toThrow(ConfigError)
    expect(make(wrong, () => {})).toThrow(`${option}: expected `)
    expect(make(wrong, () => {})).toThrow(`got ${came}`)
  })

  it.each([
    [{ retries: 3 }, '"retries" is not known here: expected name, '],
    [{ concurency: 3 }, `"concurency" is not known here: write 'concurrency'`],
    [{ gorup: 3, nmae: 'a' }, '"gorup" is not known here: expected name, '],
    [{ nmae: 'a' }, `"nmae" is not known here: write 'name'`],
    [{ retry: { attempts: 3 } }, `retry: "attempts" is not known here: write 'maxAttempts'`],
  ])('%j: names the option that does not exist, and the one it resembles', (wrong, says) => {
    expect(make(wrong, () => {})).toThrow(says)
  })

  it('require a handler', () => {
    expect(make({}, undefined)).toThrow('a function (payload, ctx)')
  })
})
