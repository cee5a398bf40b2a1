import { InProgressError, RetryableError, StoreUnavailableError, TerminalError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import {
  brokeOff,
  neverReached,
  nothingWasRun,
} from '../../src/library/run/context/neverReached.ts'
import { classifyCall } from '../../src/library/entries/call/classify.ts'

const error = (fields: object, cause?: unknown): Error =>
  Object.assign(new Error('failed', cause === undefined ? {} : { cause }), fields)
const refused = error({ code: 'ECONNREFUSED', syscall: 'connect' })
const noName = error({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })

function circle(): Error {
  const [one, two] = [error({}), error({})]
  one.cause = two
  two.cause = one
  return one
}

describe('a call that never reached the other side', () => {
  it.each([
    ['a connection that was not made', refused],
    ['a name that was not found', noName],
    ['as the cause of what fetch throws', error({ name: 'TypeError' }, refused)],
    ['at several addresses', new AggregateError([refused, refused])],
    ['by the only attempt of an SDK', error({ $metadata: { attempts: 1 } }, refused)],
    ['by an SDK that gives no number', error({ $metadata: {} }, refused)],
    ['as the handler says', new RetryableError('busy')],
    ['as the other side says', new TerminalError('declined')],
    ['as our own call says', nothingWasRun(new InProgressError('running', 0))],
  ])('%s', (_, thrown) => {
    expect(neverReached(thrown)).toBe(true)
    expect(['release', 'terminal']).toContain(classifyCall(thrown))
  })
})

describe('a call that may have been made', () => {
  it.each([
    [
      'by the attempts before the last one',
      error({ syscall: 'connect', $metadata: { attempts: 3 } }),
    ],
    ['and an outer error has the attempts', error({ $metadata: { attempts: 2 } }, refused)],
    [
      'and an inner error has the attempts',
      error({ syscall: 'connect' }, error({ $metadata: { attempts: 2 } })),
    ],
    [
      'and was answered',
      error({ syscall: 'connect', $metadata: { attempts: 1, httpStatusCode: 503 } }),
    ],
    ['cut while its answer was read', error({ code: 'ECONNRESET', syscall: 'read' })],
    ['at one of several addresses', new AggregateError([refused, error({ syscall: 'write' })])],
    ['whose code comes without its call', error({ code: 'ECONNREFUSED' })],
    ['in which the store failed', new StoreUnavailableError('no answer')],
    ['with causes in a circle', circle()],
    ['with no errors in it', new AggregateError([])],
    ['a text', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('%s', (_, thrown) => {
    expect(neverReached(thrown)).toBe(false)
    expect(['unknown', 'parked']).toContain(classifyCall(thrown))
  })

  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'EHOSTUNREACH',
  ])('is in doubt at %s of an SDK that has tried again', (code) => {
    const thrown = error({ code, $metadata: { attempts: 3 } })
    expect([neverReached(thrown), brokeOff(thrown)]).toEqual([false, true])
  })
})
