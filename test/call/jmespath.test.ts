import { jmespath } from 'lineclear/jmespath'
import { describe, expect, it } from 'vitest'

describe('an expression', () => {
  it.each([
    ['body.id', { body: { id: 7 } }, 7],
    ['[a, b]', { a: 1 }, [1, null]],
    ['{one: a, two: b}', { a: 1 }, [1, null]],
    ['json(body).order.id', { body: '{"order":{"id":"x"}}' }, 'x'],
    ['powertools_json(body).[user, productId]', { body: '{"user":"u","productId":1}' }, ['u', 1]],
    ['missing.deep', {}, null],
  ])('%s', (expression, input, found) => {
    expect(jmespath(expression).select(input)).toEqual(found)
  })

  it.each(["[headers['Idempotency-Key']]", 'a.', '', 'nosuch(body)', '[a, nosuch(b)]'])(
    'that is wrong is refused at once: %s',
    (expression) => {
      expect(() => jmespath(expression)).toThrow(/is no valid JMESPath expression/)
    },
  )

  it('is compiled once, and keeps nothing between inputs', () => {
    const expression = jmespath('items[?price > `1`].name | [0]')
    for (const name of ['a', 'b', 'c']) {
      expect(expression.select({ items: [{ name, price: 2 }] })).toBe(name)
    }
    expect(expression.select({ items: [] })).toBeNull()
  })
})
