import fc from 'fast-check'
import { isSendable } from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import type {
  Attribute,
  Attributes,
} from '../../../src/library/protocol/record/envelope/envelope.ts'

// fast-check needs a second for its first text of all characters: only tests that use one load this.

const nameText = fc
  .stringMatching(/^[A-Za-z0-9_-]([A-Za-z0-9_-]\.?){0,12}[A-Za-z0-9_-]$/)
  .filter((name) => !/^(aws|amazon)\./i.test(name))
const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: nameText },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'Type', 'body') },
)
export const sendableText: fc.Arbitrary<string> = fc
  .string({ minLength: 1, unit: 'binary' })
  .filter(isSendable)

const label = fc.stringMatching(/^(\.[a-z]{1,8})?$/)
const attribute: fc.Arbitrary<Attribute> = fc
  .oneof(
    fc.record({ type: label.map((it) => `String${it}`), value: sendableText }),
    fc.record({
      type: label.map((it) => `Number${it}`),
      value: fc.constantFrom('1.50', '-0', '007', '1e21'),
    }),
    fc.record({
      type: label.map((it) => `Binary${it}`),
      value: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    }),
    fc.record({
      type: fc.constant('String.Array'),
      value: fc.array(fc.string()).map((it) => JSON.stringify(it)),
    }),
  )
  .filter(({ type, value }) => typeof value !== 'string' || isSendable(type + value))

export const attributesOf = (maxKeys: number): fc.Arbitrary<Attributes> =>
  fc.dictionary(name, attribute, { maxKeys, noNullPrototype: false })
