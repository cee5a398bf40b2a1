import { describe, expect, it } from 'vitest'
import {
  RetryableError,
  TerminalError,
  UnknownOutcomeError,
} from '../../../src/library/base/errors.ts'
import { classifyCall, classifyError } from '../../../src/library/entries/call/classify.ts'

const failed = (code: string): Error => Object.assign(new Error('failed'), { code })
const at = (syscall: string, code: string): Error => Object.assign(failed(code), { syscall })
const named = (name: string): Error => Object.assign(new Error('failed'), { name })
const because = (cause: unknown): Error => new Error('failed', { cause })

function circle(): Error {
  const error = new Error('round')
  error.cause = error
  return error
}

describe('what an error says about the work', () => {
  it.each([
    ['an unknown outcome', new UnknownOutcomeError('?'), 'unknown', 'unknown'],
    ['terminal', new TerminalError('no'), 'terminal', 'terminal'],
    ['retryable', new RetryableError('later'), 'release', 'release'],
    ['of the program', new TypeError('x is not a function'), 'release', 'parked'],
    ['a text', 'failed', 'release', 'parked'],
    ['nothing', undefined, 'release', 'parked'],
    ['null', null, 'release', 'parked'],
    ['no connection', at('connect', 'ECONNREFUSED'), 'release', 'release'],
    ['no name', because(at('getaddrinfo', 'ENOTFOUND')), 'release', 'release'],
    ['a code without its call', failed('ECONNREFUSED'), 'release', 'unknown'],
    ['cut while it was read', at('read', 'ECONNRESET'), 'release', 'unknown'],
    ['another code', failed('EACCES'), 'release', 'parked'],
    ['a code deep inside', because(because(failed('ECONNRESET'))), 'release', 'unknown'],
    ['a text as the cause', because('ECONNRESET'), 'release', 'parked'],
    ['its own cause', circle(), 'release', 'parked'],
  ] as const)('%s', (_, error, work, call) => {
    expect(classifyError(error)).toBe(work)
    expect(classifyCall(error)).toBe(call)
  })

  it.each([
    'ECONNRESET',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'ESOCKETTIMEDOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
  ])('%s: the connection broke after the first byte: unknown', (code) => {
    expect(classifyCall(failed(code))).toBe('unknown')
  })

  it.each(['AbortError', 'TimeoutError'])('%s: unknown', (name) => {
    expect(classifyCall(named(name))).toBe('unknown')
    expect(classifyCall({ name })).toBe('unknown')
  })
})
