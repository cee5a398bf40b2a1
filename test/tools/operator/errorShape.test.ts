import { describe, expect, it } from 'vitest'
import { readDeadLetter } from '../../../src/tools/operator/dlq/deadLetter.ts'
import { errorShape } from '../../../src/tools/operator/dlq/errorShape.ts'
import { sqsRecord } from './deadLetterRecord.ts'

describe('one group for', () => {
  it.each<[shape: string, ...errors: string[]]>([
    [
      'Error: carrier <n> does not answer',
      'Error: carrier 17 does not answer',
      'Error: carrier 1,800.5 does not answer',
    ],
    [
      'order <id> is gone',
      'order 0ef7d6f0-2d6b-4a3e-9d50-6f1d4f7c1a2b is gone',
      'order 01JD7Y3ZK8N2V5X9T4Q6W1R0PB is gone',
      'order cus_9s6XKzkNRiz8i3 is gone',
      'order deadbeef01234567 is gone',
      'order 0x7ffe is gone',
      'order 1a2b3c is gone',
    ],
    ['no user <text>', 'no user "ann"', "no user 'bob@work'", 'no user `c 17`', 'no user ""'],
    [
      'the lease ended at <time>',
      'the lease ended at 2026-11-22T06:31:54.123Z',
      'the lease ended at 2026-11-22 06:31:54+01:00',
      'the lease ended at 2026-11-22',
    ],
    [
      '<arn> is denied',
      'arn:aws:sqs:eu-west-1:123456789012:orders is denied',
      'arn:aws-cn:iam::1:role/a/b is denied',
    ],
    [
      'ENOENT: <path>',
      'ENOENT: /var/task/a.json',
      'ENOENT: /tmp/x/y/z',
      String.raw`ENOENT: C:\Users\ann\x`,
    ],
    [
      'GET https://pay.example<path> <n>',
      'GET https://pay.example/v1/charges/ch_1?x=2 503',
      'GET https://pay.example/v2 500',
    ],
    [
      'connect ECONNREFUSED <n>:<n>',
      'connect ECONNREFUSED 10.0.0.1:443',
      'connect ECONNREFUSED 127.0.0.1:8080',
    ],
    ['rows <n>… are locked', 'rows 1, 2, 3 are locked', 'rows 17, 4 are locked'],
    ['mail to <address> bounced', 'mail to a.b+c@d.de bounced', 'mail to x@y.org bounced'],
    ['took <n>ms', 'took 17ms', 'took 4000ms'],
  ])('%s', (shape, ...errors) => {
    expect(errors.map((error) => errorShape(error).shown)).toEqual(errors.map(() => shape))
  })
})

it.each([
  [
    "the carrier doesn't answer the merchant's call",
    "the carrier doesn't answer the merchant's call",
  ],
  ['S3Error and order17 differ', 'S<n>Error and order<n> differ'],
  [
    'TypeError: Cannot read properties of undefined',
    'TypeError: Cannot read properties of undefined',
  ],
  ['either/or', 'either/or'],
  ['', ''],
])('what is the same in all of them stays: %s', (error, shape) => {
  expect(errorShape(error).shown).toBe(shape)
})

it('no text is slow to read', () => {
  const begun = performance.now()
  for (const part of [
    '/a',
    '"',
    "'",
    'a1',
    '<n>, ',
    'arn:',
    '1.',
    'a@',
    'https://',
    ' ',
    '`',
    '-',
  ]) {
    errorShape(part.repeat(100_000))
  }
  expect(performance.now() - begun).toBeLessThan(500)
})

describe('the name of a group', () => {
  /** Operators keep these names: none of them may change from version to version. */
  it.each([
    ['orders', 'exhausted', 'carrier 17 does not answer', ''],
    ['orders', 'exhausted', 'carrier 18 does not answer', ''],
    [
      'orders',
      'rejected',
      'the schema refuses the payload: total: expected a number, got a text',
      '',
    ],
    ['orders', 'terminal', '', ''],
    [undefined, undefined, '', 'arn:aws:sqs:eu-west-1:1:orders'],
  ])('%s, %s, %s %s', (consumer, reason, error, movedFrom) => {
    const record = sqsRecord({ consumer, reason, error, movedFrom })
    expect(readDeadLetter(record, 0).group).toMatchSnapshot()
  })
})

it.each([
  ['a long text', 'word '.repeat(100), `${'word '.repeat(32).trim()}…`],
  ['a text of which the end was not read', `${' '.repeat(2_000)}end`, '…'],
  ['a text that is as long as the shape', 'x '.repeat(80).trim(), 'x '.repeat(80).trim()],
])('%s is shown with … where it was cut, and its group keeps its name', (_, error, shown) => {
  expect(errorShape(error).shown).toBe(shown)
  expect(errorShape(error).shape).toBe(shown.replace('…', ''))
})
