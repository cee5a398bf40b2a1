import { describe, expect, it } from 'vitest'
import { readDeadLetter } from '../../../src/tools/operator/dlq/deadLetter.ts'
import { errorShape } from '../../../src/tools/operator/text/errorShape.ts'
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
      'GET https://pay.example<path> 503',
      'GET https://pay.example/v1/charges/ch_1?x=2 503',
      'GET https://pay.example/v2 503',
    ],
    [
      'connect ECONNREFUSED <n>:<n>',
      'connect ECONNREFUSED 10.0.0.1:443',
      'connect ECONNREFUSED 127.0.0.1:8080',
    ],
    ['rows <n>… are locked', 'rows 1, 2, 3 are locked', 'rows 17, 4 are locked'],
    ['mail to <address> bounced', 'mail to a.b+c@d.de bounced', 'mail to x@y.org bounced'],
    ['took <n>ms', 'took 17ms', 'took 4000ms'],
    [
      'ApiError: PUT <path>: 401 Unauthorized {"error":"key_expired","trace":<text>}',
      'ApiError: PUT /contacts/1: 401 Unauthorized {"error":"key_expired","trace":"x9f2k1"}',
      'ApiError: PUT /contacts/22: 401 Unauthorized {"error":"key_expired","trace":"ab"}',
    ],
    [
      'Error: {"code":"no_user","message":"no user <n>, mail <address>"}',
      'Error: {"code":"no_user","message":"no user 17, mail a@b.de"}',
      'Error: {"code":"no_user","message":"no user 4, mail x@y.org"}',
    ],
    [
      'duplicate entry <text> for key "users.email"',
      ...['ann', 'bob'].map((name) => `duplicate entry '${name}' for key "users.email"`),
    ],
    [
      'Cannot read properties of undefined (reading <text>)',
      "Cannot read properties of undefined (reading '0')",
      "Cannot read properties of undefined (reading '17')",
    ],
    [
      'the postal code <n> is unknown',
      'the postal code 10115 is unknown',
      'the postal code 20095 is unknown',
    ],
    ['rows: <n>, took <n>', 'rows: 404, took 500', 'rows: 200, took 403'],
  ])('%s', (shape, ...errors) => {
    expect(errors.map((error) => errorShape(error).shown)).toEqual(errors.map(() => shape))
  })
})

describe('another group for', () => {
  it.each<[what: string, ...errors: string[]]>([
    [
      'another status',
      ...[400, 401, 404, 503].map((n) => `AxiosError: Request failed with status code ${n}`),
    ],
    ['another status, said shortly', 'Error: bank: HTTP 429', 'Error: bank: HTTP 500'],
    [
      'another status behind an address',
      ...[500, 503].map((n) => `GET https://pay.example/v1/a ${n}`),
    ],
    ['another status in JSON', ...[401, 503].map((n) => `Error: {"status":${n},"id":"a${n}"}`)],
    ['another status and phrase', 'PUT /a/1: 401 Unauthorized', 'PUT /a/2: 403 Unauthorized'],
    [
      'another property',
      ...['vat', 'street'].map(
        (name) => `TypeError: Cannot read properties of undefined (reading '${name}')`,
      ),
    ],
    [
      'another column',
      ...['customer_id', 'price'].map(
        (name) => `null value in column "${name}" violates not-null constraint`,
      ),
    ],
    [
      'another constraint',
      ...['a_key', 'b_key'].map((name) => `value violates unique constraint "${name}"`),
    ],
    [
      'another module',
      ...['./rates', 'pg', './lib/a', './lib/b'].map(
        (name) => `Error: Cannot find module '${name}'`,
      ),
    ],
    [
      'another code in JSON',
      'Error: {"code":"card_declined","message":"insufficient funds"}',
      'Error: {"code":"api_key_expired","message":"renew it"}',
    ],
    [
      'another message in JSON',
      ...['no funds', 'renew it'].map((text) => `Error: {"message":"${text}"}`),
    ],
    ['another SQLSTATE', ...['23505', '40001', '42P01'].map((code) => `error: SQLSTATE ${code}`)],
    ['another exit', 'convert exited with code 1', 'convert exited with code 137'],
    ['another error of a database', 'ORA-00001: refused', 'ORA-12541: refused'],
    [
      'another permission',
      ...['s3:PutObject', 'kms:Decrypt'].map(
        (action) =>
          `AccessDeniedException: arn:aws:sts::1:assumed-role/a/b is not authorized to perform: ${action}`,
      ),
    ],
    [
      'another field of a schema',
      ...['total', 'name'].map(
        (field) =>
          `ZodError: [ { "code": "invalid_type", "path": [ "${field}" ], "message": "Required" } ]`,
      ),
    ],
  ])('%s', (_, ...errors) => {
    const shapes = errors.map((error) => errorShape(error).shape)
    expect(new Set(shapes).size, shapes.join('\n')).toBe(errors.length)
  })
})

it('a text of the characters that stand for names stays a text', () => {
  expect(errorShape('a \uE000 b \uF8FF "x"').shape).toBe('a ? b ? <text>')
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
    '{"code":"a",',
    '"path": [ ',
    '{   ',
    'status code ',
    'https://a b 503 ',
    'column "',
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
