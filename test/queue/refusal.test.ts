import { ConfigError } from 'lineclear'
import { expect, it } from 'vitest'
import { EntryRefusedError, isPermanent } from '../../src/queue/refusal.ts'

it.each([
  'AWS.SimpleQueueService.NonExistentQueue',
  'QueueDoesNotExist',
  'NotFoundException',
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationErrorException',
  'InvalidMessageContents',
  'InvalidParameterValue',
  'InvalidParameterValueException',
  'InvalidParameterException',
  'BatchRequestTooLong',
  'KMSAccessDeniedException',
])('%s is for good, as an exception and as the code of an entry', (code) => {
  expect(isPermanent(Object.assign(new Error('no'), { name: code }))).toBe(true)
  expect(isPermanent(new EntryRefusedError(code, 'no'))).toBe(true)
})

it.each([
  'RequestThrottled',
  'ThrottlingException',
  'ThrottledException',
  'KMSThrottlingException',
  'InternalError',
  'InternalFailure',
  'ServiceUnavailable',
  'OverLimit',
  'TimeoutError',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'Error',
])('%s passes', (code) => {
  expect(isPermanent(Object.assign(new Error('no'), { name: code }))).toBe(false)
  expect(isPermanent(new EntryRefusedError(code, 'no'))).toBe(false)
})

it('an entry without an answer may have been taken; a package that is not there stays away', () => {
  expect(isPermanent(new EntryRefusedError(undefined, 'not answered'))).toBe(false)
  expect(isPermanent(new ConfigError('not installed'))).toBe(true)
})
