import { TerminalError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

/** What JavaScript, or a value of type any, may return. */
const returning = (make: () => unknown) => async (): Promise<never> => (await make()) as never

const FAILURES: readonly (readonly [string, () => unknown, RegExp])[] = [
  [
    'a partial response',
    () => ({ batchItemFailures: [{ itemIdentifier: 'm' }] }),
    /batchItemFailures with 1/,
  ],
  ['an HTTP answer', () => ({ statusCode: 500, body: '' }), /status code 500/],
  ['a Response', () => new Response('', { status: 503 }), /Response that is not ok/],
  [
    'settled promises',
    () => Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('no bank'))]),
    /no bank/,
  ],
  ['a batch that SQS refused in part', () => ({ Failed: [{ Id: '1' }] }), /1 failed entries/],
  ['events that a bus refused', () => ({ FailedEntryCount: 2 }), /2 failed entries/],
  ['writes that were left over', () => ({ UnprocessedItems: { t: [{}] } }), /unprocessed items/],
  ['a function that failed', () => ({ FunctionError: 'Unhandled' }), /error of a function/],
  ['an error', () => new Error('returned'), /returned/],
  ['false', () => false, /returned false/],
  ['a failure in a list', () => [{ statusCode: 404 }], /status code 404/],
]

const UNFINISHED: readonly (readonly [string, () => unknown, RegExp])[] = [
  ['an async generator', () => (async function* () {})(), /a generator/],
  ['a generator', () => (function* () {})(), /a generator/],
  ['a function', () => () => {}, /a function/],
  ['promises that nothing waits for', () => [Promise.resolve()], /list of promises/],
]

describe('a handler that returns', () => {
  it.each(FAILURES)('%s has failed: its message is tried again', async (_, make, why) => {
    const { send, deliver, settled, logger } = consumerOf(returning(make))
    await deliver(send('{}'))
    expect(settled).toMatchObject([{ kind: 'resent' }])
    expect(JSON.stringify(logger.lines)).toMatch(why)
  })

  it.each(UNFINISHED)('%s is dead-lettered with what is wrong', async (_, make, why) => {
    const { send, deliver, reasons, logger } = consumerOf(returning(make))
    await deliver(send('{}'))
    expect(reasons()).toEqual(['terminal'])
    expect(JSON.stringify(logger.lines)).toMatch(why)
  })

  it('a rejection of Promise.allSettled decides as if it had been thrown', async () => {
    const make = (): unknown => Promise.allSettled([Promise.reject(new TerminalError('never'))])
    const { send, deliver, reasons } = consumerOf(returning(make))
    await deliver(send('{}'))
    expect(reasons()).toEqual(['terminal'])
  })

  it.each([
    undefined,
    null,
    true,
    [false],
    1,
    'done',
    { applied: true },
    [{ applied: true }, undefined],
    { statusCode: 200 },
    { batchItemFailures: [] },
    new Map([['a', 1]]),
    new Date(0),
  ])('%o has completed its message', async (value) => {
    const { send, deliver, settled } = consumerOf(returning(() => value))
    await deliver(send('{}'))
    expect(settled).toEqual([{ kind: 'completed' }])
  })
})
