import { describe, expect, it } from 'vitest'
import { redactor } from '../../../src/tools/console/hide.ts'

const BODY = {
  customer: { email: 'ann@example.org', name: 'Ann' },
  lines: [{ sku: 'a', price: 1 }, { sku: 'b' }],
  'a.b': 'dotted',
}

function bodyWith(paths: readonly string[], body: string): unknown {
  const { letters } = redactor(paths)({ letters: [{ body, messageId: '1' }] })
  return (letters as readonly { readonly body: unknown }[])[0]?.body
}

describe('a path of --redact', () => {
  it.each([
    ['customer.email', { ...BODY, customer: { email: '[masked]', name: 'Ann' } }],
    ['customer', { ...BODY, customer: '[masked]' }],
    ['lines.*.sku', { ...BODY, lines: [{ sku: '[masked]', price: 1 }, { sku: '[masked]' }] }],
    ['/lines/0/sku', { ...BODY, lines: [{ sku: '[masked]', price: 1 }, { sku: 'b' }] }],
    ['/a.b', { ...BODY, 'a.b': '[masked]' }],
    ['*.name', { ...BODY, customer: { email: 'ann@example.org', name: '[masked]' } }],
    ['nothing.there', BODY],
    ['__proto__.x', BODY],
  ])('%s', (path, expected) => {
    expect(JSON.parse(String(bodyWith([path], JSON.stringify(BODY))))).toEqual(expected)
  })

  it('leads into a payload inside another one, such as that of a notification', () => {
    const outer = JSON.stringify({ Message: JSON.stringify(BODY) })
    expect(bodyWith(['customer'], outer)).not.toContain('ann@example.org')
  })

  it.each(['ann@example.org', '{"customer":', 'customer=ann'])(
    'leads into no payload that is not JSON: %j is masked as a whole',
    (body) => {
      expect(bodyWith(['customer.email'], body)).toBe('[masked]')
    },
  )

  it('leaves the digits of other numbers as they are', () => {
    const body = '{"id":12345678901234567890,"price":1.50,"customer":1e3}'
    expect(bodyWith(['customer'], body)).toBe(
      '{"id":12345678901234567890,"price":1.50,"customer":"[masked]"}',
    )
  })

  it('finds a name however it is written', () => {
    expect(bodyWith(['customer'], '{"c\\u0075stomer":"ann"}')).toBe('{"customer":"[masked]"}')
  })

  it.each([
    ['items, whose payloads are texts', { items: [{ payload: JSON.stringify(BODY) }] }],
    ['an answer inside lists', { a: [[{ body: JSON.stringify(BODY) }]] }],
  ])('is masked in %s', (_, answer) => {
    expect(JSON.stringify(redactor(['customer'])(answer))).not.toContain('ann@example.org')
  })

  it.each([
    ['total: 5 → 6', 'total: 5 → 6'],
    ['customer.email: "ann@example.org" → "b"', 'customer.email: [masked]'],
    ['customer: {"email":"ann@example.org"} → nothing', 'customer: [masked]'],
    ['the payload: {"customer":1} → 5', '[masked]'],
    ['- ann@example.org', '[masked]'],
    ['only spaces, or the order of names', 'only spaces, or the order of names'],
  ])('is masked in the changes of an edit: %s', (change, expected) => {
    expect(redactor(['customer.email'])({ after: [change] })).toEqual({ after: [expected] })
  })

  it.each([
    ['--set=customer.email="ann@example.org"', `'--set=customer.email="[masked]"'`],
    ['--set=/customer/email=5', `'--set=/customer/email="[masked]"'`],
    [`'--set=customer={"email":5}'`, `'--set=customer="[masked]"'`],
    [`--set='.={"customer":{"email":5}}'`, `'--set=.={"customer":{"email":"[masked]"}}'`],
    [
      `'--result={"customer":{"email":"it'\\''s"}}'`,
      `'--result={"customer":{"email":"[masked]"}}'`,
    ],
    ['--set=total=5', '--set=total=5'],
    [`'--why=it'\\''s back'`, `'--why=it'\\''s back'`],
  ])('is masked in a command: %s', (given, expected) => {
    const line = `lineclear dlq edit --id=7 ${given} dead`
    expect(redactor(['customer.email'])({ line })).toEqual({ line: line.replace(given, expected) })
  })

  it('leaves what is wrong as it was said', () => {
    const answer = { error: { kind: 'refused', message: 'there is no such queue' } }
    expect(redactor(['customer'])(answer)).toEqual(answer)
  })

  it('with @ is a message attribute', () => {
    const answer = {
      letters: [{ attributes: { email: 'ann@example.org', tenant: 't' }, body: '{}' }],
    }
    expect(redactor(['@email'])(answer)).toEqual({
      letters: [{ attributes: { email: '[masked]', tenant: 't' }, body: '{}' }],
    })
  })
})

it('without paths nothing is masked', () => {
  const answer = { letters: [{ body: 'x' }] }
  expect(redactor([])(answer)).toBe(answer)
})
