import { search } from '@aws-lambda-powertools/jmespath'
import { jmespath } from 'lineclear/middy'
import { describe, expect, it } from 'vitest'
import { jmespathOf } from '../jmespathOf.ts'

describe('an expression', () => {
  it.each([
    ['body.id', { body: { id: 7 } }, 7],
    ['[a, b]', { a: 1 }, [1, null]],
    ['{one: a, two: b}', { a: 1 }, [1, null]],
    ['powertools_json(body).order.id', { body: '{"order":{"id":"x"}}' }, 'x'],
    ['powertools_json(body).[user, productId]', { body: '{"user":"u","productId":1}' }, ['u', 1]],
    ['missing.deep', {}, null],
  ])('%s', (expression, input, found) => {
    expect(jmespathOf(expression).select(input)).toEqual(found)
  })

  it.each(["[headers['Idempotency-Key']]", 'a.', '', 'nosuch(body)', '[a, nosuch(b)]'])(
    'that is wrong is refused at once: %s',
    (expression) => {
      expect(() => jmespathOf(expression)).toThrow(/is no valid JMESPath expression/)
    },
  )

  it('is compiled once, and keeps nothing between inputs', () => {
    const expression = jmespathOf('items[?price > `1`].name | [0]')
    for (const name of ['a', 'b', 'c']) {
      expect(expression.select({ items: [{ name, price: 2 }] })).toBe(name)
    }
    expect(expression.select({ items: [] })).toBeNull()
  })

  it('may ask for what an empty event has not', () => {
    expect(() => jmespathOf('powertools_json(body).id')).not.toThrow()
    expect(() => jmespathOf('length(items)')).not.toThrow()
  })

  it('is read by the library that is given', () => {
    const asked: unknown[] = []
    const own = { search: (...args: unknown[]) => asked.push(args) }
    expect(jmespath('a', own).select({ a: 1 })).toBe(2)
    expect(asked).toEqual([
      ['a', {}, undefined],
      ['a', { a: 1 }, undefined],
    ])
  })

  it('without a library is refused, and a function that it does not have', () => {
    expect(() => jmespath('a', undefined as never)).toThrow(
      /^jmespath: the second argument: expected a library/,
    )
    expect(() => jmespath('powertools_json(body)', { search })).toThrow(/no valid JMESPath/)
  })
})
