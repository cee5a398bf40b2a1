import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  readAddress,
  valueOf,
  valuesOf,
  writeAddress,
} from '../../../../src/tools/console/app/address.ts'

const name = fc.stringMatching(/^[a-z]{1,8}$/)
const value = fc.string({ minLength: 1, unit: 'grapheme' })
const query = fc.dictionary(name, fc.oneof(value, fc.array(value, { minLength: 2, maxLength: 4 })))

describe('the URL', () => {
  it('holds the whole state: what is written is read again', () => {
    fc.assert(
      fc.property(query, (given) => {
        const url = new URL(writeAddress({ path: '/tasks', query: given }), 'http://localhost')
        expect(readAddress(url.pathname, url.search)).toEqual({
          path: '/tasks',
          query: { ...given },
        })
      }),
    )
  })

  it('is the same for equal states', () => {
    const one = writeAddress({ path: '/', query: { a: '1', b: ['2', '3'] } })
    expect(one).toBe(writeAddress({ path: '/', query: { b: ['2', '3'], a: '1' } }))
    expect(one).toBe('/?a=1&b=2&b=3')
  })

  it('has no place for an id to leave its parameter', () => {
    const url = writeAddress({ path: '/request', query: { id: 'a&request=b#c/../?' } })
    expect(readAddress(...partsOf(url)).query).toEqual({ id: 'a&request=b#c/../?' })
  })

  it('forgets what is undefined or empty', () => {
    const { path } = readAddress('/tasks/', '?status=dead&stage=x')
    expect(writeAddress({ path, query: { status: undefined, stage: '' } })).toBe('/tasks')
  })

  it('gives one value, or all', () => {
    const { query: found } = readAddress('/', '?a=1&a=2&b=')
    expect([
      valuesOf(found['a']),
      valueOf(found['a']),
      valueOf(found['b']),
      valueOf(found['c']),
    ]).toEqual([['1', '2'], '1', '', ''])
  })
})

function partsOf(url: string): [string, string] {
  const { pathname, search } = new URL(url, 'http://localhost')
  return [pathname, search]
}
