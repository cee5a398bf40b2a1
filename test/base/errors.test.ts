import { expect, it } from 'vitest'
import type { Duration } from '../../src/library/base/time.ts'
import {
  ConfigError,
  hasCode,
  InProgressError,
  LateCall,
  messageOf,
  RejectedError,
  RequestFull,
  RetryableError,
  SendFailedError,
  StaleError,
  StoreUnavailableError,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from '../../src/library/base/errors.ts'

const cause = new Error('why')

it.each([
  [new RetryableError('so', { cause, retryAfter: 5 }), 'RetryableError', 'RETRYABLE'],
  [new TerminalError('so', { cause }), 'TerminalError', 'TERMINAL'],
  [new UnknownOutcomeError('so', { cause }), 'UnknownOutcomeError', 'UNKNOWN_OUTCOME'],
  [new SupersededError('so', { cause }), 'SupersededError', 'SUPERSEDED'],
  [new StaleError('so', { cause }), 'StaleError', 'STALE'],
  [new InProgressError('so', 5, { cause }), 'InProgressError', 'IN_PROGRESS'],
  [new ConfigError('so', { cause }), 'ConfigError', 'CONFIG'],
  [new StoreUnavailableError('so', { cause }), 'StoreUnavailableError', 'STORE_UNAVAILABLE'],
  [new SendFailedError('so', { cause }), 'SendFailedError', 'SEND_FAILED'],
  [new RejectedError('so', { cause }), 'RejectedError', 'REJECTED'],
  [new RequestFull('so', { cause }), 'TerminalError', 'REQUEST_FULL'],
  [new LateCall('so', { cause }), 'SupersededError', 'LATE'],
] as const)('%s is known by its name and its code', (error, name, code) => {
  expect(error).toMatchObject({ name, code, message: 'so', cause })
  expect(hasCode(error, code)).toBe(true)
  expect(messageOf(error)).toBe(`${name}: so`)
})

it('a full request is terminal, too; a late call has lost its claim to no other attempt', () => {
  expect(hasCode(new RequestFull('so'), 'TERMINAL')).toBe(true)
  expect(hasCode(new TerminalError('so'), 'REQUEST_FULL')).toBe(false)
  expect(hasCode(new LateCall('so'), 'SUPERSEDED')).toBe(false)
})

it('says when to try again, if it knows', () => {
  expect(new RetryableError('so', { retryAfter: 5 }).retryAfter).toBe(5)
  expect(new RetryableError('so').retryAfter).toBeUndefined()
  expect(new InProgressError('so', 7).until).toBe(7)
})

it.each([
  [{ code: 'TERMINAL' }, true],
  [{ code: 'CONFIG' }, false],
  [{}, false],
  [null, false],
  [undefined, false],
  ['TERMINAL', false],
  [Object.assign(() => {}, { code: 'TERMINAL' }), false],
])('a code is looked for in objects only: %o', (thrown, expected) => {
  expect(hasCode(thrown, 'TERMINAL')).toBe(expected)
})

it.each([
  ['a text', 'a text'],
  [null, 'a thrown null'],
  [undefined, 'a thrown undefined'],
  [5, 'a thrown number'],
  [{ message: 'so' }, 'a thrown object'],
])('describes a thrown %j', (thrown, text) => {
  expect(messageOf(thrown)).toBe(text)
})

it.each<[Duration, number | undefined]>([
  ['10s', 10_000],
  [250, 250],
  [Number.NaN, undefined],
  [-5, undefined],
])('RetryableError: retryAfter %j', (retryAfter, expected) => {
  expect(new RetryableError('later', { retryAfter }).retryAfter).toBe(expected)
})

it('RetryableError: a text that is no time is a mistake', () => {
  const make = () => new RetryableError('later', { retryAfter: 'soon' as never })
  expect(make).toThrow("retryAfter: expected milliseconds or a text such as '10s' or '30d'")
})
