import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger'
import { jsonLogger, TerminalError, UnknownOutcomeError } from 'lineclear'
import { describe, expect, it, vi } from 'vitest'
import { readDeadLetter } from '../../src/tools/operator/dlq/deadLetter.ts'
import { receive } from '../../src/testing/queues/simulatedQueue.ts'
import { memoryQueueArn } from '../../src/testing/queues/description.ts'
import { consumerOf } from './consumerOf.ts'
import { lambdaContext } from './lambdaContext.ts'

const FAILING = 1

/** As DynamoDB counts them, and a little more. */
function bytesOf(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 21
}

function refused(): Error {
  return new Error('charge failed', { cause: new TypeError('fetch failed') })
}

describe('the lines of a delivery', () => {
  it('name the function, its version and its request', async () => {
    const { logger, send, deliver } = consumerOf((_payload, ctx) => {
      ctx.logger.info('mine')
      throw refused()
    })
    await deliver(send('{}'))
    await deliver(send('no JSON'))
    const lines = logger.lines.map(({ message }) => message)
    expect(lines).toEqual([
      'started',
      'mine',
      'failed, will be retried',
      'dead-lettered without a run',
    ])
    for (const line of logger.lines) {
      expect(line).toMatchObject({
        consumer: 'orders',
        function_name: 'consumer',
        function_version: '$LATEST',
        function_request_id: 'request-1',
      })
    }
  })

  it('name them once with Powertools Logger that has the same context', async () => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const logger = new PowertoolsLogger({ serviceName: 'orders', logLevel: 'INFO' })
    logger.addContext(lambdaContext())
    const { send, deliver } = consumerOf(() => {}, { logger })
    await deliver(send('{}'))
    const lines = written.mock.calls
      .map(([text]) => String(text))
      .filter((text) => text.includes('"consumer":"orders"'))
    written.mockRestore()
    expect(lines).toHaveLength(1)
    expect(lines[0]?.match(/"function_request_id":"request-1"/g)).toHaveLength(1)
    expect(lines[0]?.match(/"function_name":"consumer"/g)).toHaveLength(1)
  })

  it('begin with the start of the attempt, if DEBUG is on', async () => {
    const lines: string[] = []
    const logger = jsonLogger('DEBUG', (line) => void lines.push(line))
    const { send, deliver } = consumerOf(() => {}, { logger })
    await deliver(send('{}'))
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        level: 'DEBUG',
        message: 'started',
        attempt: 1,
        fence: 1,
        function_request_id: 'request-1',
      },
      { message: 'succeeded' },
    ])
  })
})

describe('a handler that throws', () => {
  it('leaves its frames and causes in the log, a short form on the token', async () => {
    const { logger, store, send, deliver } = consumerOf(() => {
      throw refused()
    })
    await deliver(send('{}'))
    const line = logger.lines.at(-1)
    expect(line?.['stack']).toMatch(
      /^at refused .*trace\.test\.ts:\d+:\d+\)\n[^]*^caused by TypeError: fetch failed\nat /m,
    )
    const [token] = store.items()
    expect(token?.['stack']).toMatch(/^at refused .*\nat .*\ncaused by TypeError: fetch failed$/)
  })

  it('keeps its token within one write unit', async () => {
    const { store, sendStamped, deliver } = consumerOf(
      () => {
        throw new Error('e'.repeat(5_000), { cause: new Error('c'.repeat(5_000)) })
      },
      { retry: { maxAttempts: 2 } },
    )
    await deliver(sendStamped('0f8fad5b-d9cb-469f-a165-70867728950e'))
    const [token] = store.items()
    const bytes = Object.entries(token ?? {}).reduce(
      (sum, [name, value]) => sum + name.length + bytesOf(value),
      0,
    )
    expect(bytes).toBeLessThan(1_024)
  })

  it('leaves no frames of an earlier failure beside the error of a later one', async () => {
    let runs = 0
    const { queue, store, clock, send, deliver } = consumerOf(() => {
      runs += 1
      if (runs === FAILING) throw refused()
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw 'only a text'
    })
    await deliver(send('{}'))
    clock.advance(3_600_000)
    await deliver(queue.messages)
    expect(store.items()).toMatchObject([{ error: 'only a text', stack: '' }])
  })

  it('leaves the short form in the dead letter', async () => {
    const { dead, clock, send, deliver } = consumerOf(() => {
      throw new TerminalError('no such order', { cause: refused() })
    })
    await deliver(send('{}'))
    const [message] = dead.messages
    if (message === undefined) throw new Error('no dead letter')
    const record = receive(dead, message, clock.now(), memoryQueueArn('dead-letters'))
    expect(readDeadLetter(record, clock.now())).toMatchObject({
      error: 'TerminalError: no such order',
      stack: expect.stringMatching(
        /^at .*\nat .*\ncaused by Error: charge failed\ncaused by TypeError: fetch failed$/,
      ) as unknown,
    })
  })

  it('is not said to have failed for good when its call may have been made', async () => {
    const { logger, send, deliver } = consumerOf(() => {
      throw new UnknownOutcomeError('no answer')
    })
    await deliver(send('{}'))
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        message: 'unknown outcome, will be dead-lettered',
        reason: 'unknown',
      }),
    )
  })

  it.each(['name', 'message', 'code', 'cause', 'stack'])(
    'fails like any other if reading its %s throws',
    async (name) => {
      const hostile = Object.defineProperty(new Error('no'), name, {
        get() {
          throw new Error('hostile')
        },
      })
      const { settled, send, deliver } = consumerOf(
        () => {
          throw hostile
        },
        { retry: { maxAttempts: 1 } },
      )
      await deliver(send('{}'))
      expect(settled).toEqual([{ kind: 'deadLettered', reason: 'exhausted' }])
    },
  )
})
