import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeValue, encodeValue } from '../../src/library/run/context/results/storedValue.ts'

const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  // Minus zero has a test of its own.
  fc.double().map((number) => number + 0),
  fc.integer(),
  fc.bigInt(),
  fc.boolean(),
  fc.constantFrom(undefined, null, Number.NaN, Infinity, -Infinity, '', '$lineclear'),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array(),
)

const name = fc.oneof(
  fc.string(),
  fc.constantFrom('$lineclear', 'value', '__proto__', 'constructor', 'toJSON', 'length', '0'),
)

/** Everything that is promised to come back as it went in, nested. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
    fc
      .array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 })
      .map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 3 }).map((members) => new Set(members)),
  ),
}))

function roundTrip(given: unknown): unknown {
  return decodeValue(encodeValue(given))
}

/** One text for each value: unlike `toEqual`, it distinguishes undefined from absent and reads own names only. */
function spelt(given: unknown): string {
  if (given instanceof Map) return `map(${[...given].map(spelt).join()})`
  if (given instanceof Set) return `set(${[...given].map(spelt).join()})`
  if (given instanceof Date) return `date(${given.getTime()})`
  if (given instanceof Uint8Array) return `bytes(${[...given].join()})`
  if (Array.isArray(given)) return `[${Array.from(given, spelt).join()}]`
  if (typeof given === 'object' && given !== null) {
    const own = Object.entries(given).map(([key, each]) => `${JSON.stringify(key)}:${spelt(each)}`)
    return `{${own.join()}}`
  }
  if (typeof given === 'string') return JSON.stringify(given)
  return `${typeof given} ${Object.is(given, -0) ? '-0' : String(given)}`
}

describe('a stored value', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(spelt(roundTrip(given))).toBe(spelt(given))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is the same after a second journey', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(encodeValue(roundTrip(given))).toBe(encodeValue(given))
      }),
    )
  })

  it.each([
    ['a name that is our tag', { $lineclear: 'date', value: 5 }],
    ['the tag inside of the tag', { $lineclear: { $lineclear: 'undefined' } }],
    ['a tag without a value', { $lineclear: 'bigint' }],
    ['undefined in a list', [undefined, 1]],
    ['undefined at a name', { a: undefined }],
    ['a map with a map as a key', new Map([[new Map([[1, 2]]), new Set([null])]])],
    ['text that looks like JSON', '{"$lineclear":"date"}'],
    ['half of a surrogate pair', '\ud800'],
  ])('%s', (_, given) => {
    expect(spelt(roundTrip(given))).toBe(spelt(given))
  })

  it('minus zero keeps its sign', () => {
    expect(roundTrip(-0)).toBe(-0)
  })

  it('a date that is no date stays none', () => {
    expect(roundTrip(new Date(Number.NaN))).toEqual(new Date(Number.NaN))
  })

  it('a name like __proto__ is data, and changes no prototype', () => {
    const given: unknown = JSON.parse('{"__proto__":{"admin":true},"$lineclear":1}')
    const back = roundTrip(given)
    expect(spelt(back)).toBe(spelt(given))
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype)
    expect(Object.hasOwn(back as object, 'admin')).toBe(false)
  })

  it('a class instance is read back as a plain object, a function as undefined', () => {
    class Receipt {
      readonly id = 'r'
      print(): string {
        return this.id
      }
    }
    expect(roundTrip(new Receipt())).toEqual({ id: 'r' })
    expect(roundTrip({ call: () => 1 })).toEqual({ call: undefined })
  })

  it('bytes of any kind are read back as Uint8Array', () => {
    expect(roundTrip(Buffer.from('abc'))).toEqual(new Uint8Array([97, 98, 99]))
  })
})
