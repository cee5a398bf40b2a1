import { ConfigError } from 'lineclear'
import { expect, it } from 'vitest'
import {
  EntryRefusedError,
  isCertain,
  isGone,
  isPermanent,
  isSetUp,
} from '../../src/library/protocol/send/refusal.ts'

it.each([
  'InvalidMessageContents',
  'InvalidParameterValue',
  'InvalidParameterValueException',
  'InvalidParameterException',
  'BatchRequestTooLong',
])('%s is for good, as an exception and as the code of an entry', (code) => {
  expect(isPermanent(Object.assign(new Error('no'), { name: code }))).toBe(true)
  expect(isPermanent(new EntryRefusedError(code, 'no'))).toBe(true)
})

it.each([
  'AWS.SimpleQueueService.NonExistentQueue',
  'QueueDoesNotExist',
  'NotFoundException',
  'AccessDenied',
  'AccessDeniedException',
  'AuthorizationErrorException',
  'KMSAccessDeniedException',
  'KmsDisabled',
  'KMS.InvalidStateException',
  'ResourceNotFoundException',
])('%s is certain, and passes with the next deployment', (code) => {
  for (const error of [
    Object.assign(new Error('no'), { name: code }),
    new EntryRefusedError(code, 'no'),
  ]) {
    expect([isPermanent(error), isSetUp(error), isCertain(error)]).toEqual([false, true, true])
  }
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

it.each([
  [
    'InvalidParameterValue',
    'Value AQEB for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.',
  ],
  ['ReceiptHandleIsInvalid', 'The input receipt handle is invalid.'],
  ['AWS.SimpleQueueService.MessageNotInflight', 'not in flight'],
])('%s says that no message is in flight under a handle', (code, message) => {
  expect(isGone(new EntryRefusedError(code, message))).toBe(true)
})

it.each([
  ['InvalidParameterValue', 'Value AQEB is invalid. Reason: The receipt handle has expired.'],
  ['InvalidParameterValue', 'Total VisibilityTimeout is beyond the limit'],
  ['RequestThrottled', 'slow down'],
  [undefined, 'the entry was not answered'],
])('%s (%s) does not say that', (code, message) => {
  expect(isGone(new EntryRefusedError(code, message))).toBe(false)
})
