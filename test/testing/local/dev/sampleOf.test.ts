import { expect, test } from 'vitest'
import { z } from 'zod'
import { sampleOf } from '../../../../src/testing/local/dev/sampleOf.ts'
import { jsonSchemaOf } from '../../../../src/testing/registry/consumersOf.ts'

test.each([
  [
    { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] },
    { a: 'text' },
  ],
  [{ type: 'object', properties: { o: { $ref: '#' } }, required: ['o'] }, { o: null }],
  [{ type: 'string', enum: ['paid', 'open'] }, 'paid'],
  [{ const: 0 }, 0],
  [{ type: 'string', default: 'eur', examples: ['usd'] }, 'eur'],
  [{ type: 'string', examples: ['usd'] }, 'usd'],
  [{ type: 'array', items: { type: 'integer' } }, [1]],
  [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
  [{ type: 'array', items: { $ref: '#' } }, []],
  [{ type: 'array', items: { type: 'string' }, maxItems: 0 }, []],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, ['text', 1]],
  [{ type: ['string', 'null'] }, 'text'],
  [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, 'a'],
  [{ anyOf: [{ type: 'number', minimum: 5 }, { type: 'null' }] }, 5],
  [{ type: 'number', exclusiveMinimum: 3, multipleOf: 5 }, 5],
  [{ type: 'integer', exclusiveMinimum: 0 }, 1],
  [{ type: 'number', maximum: 0 }, 0],
  [{ type: 'string', minLength: 6 }, 'text--'],
  [{ type: 'string', maxLength: 2 }, 'te'],
  [{}, null],
  [undefined, null],
])('%j: %j', (schema, sample) => {
  expect(sampleOf(schema)).toEqual(sample)
})

test('a schema of zod accepts the sample that is made from it', () => {
  const schema = z.object({
    orderId: z.string().min(3),
    at: z.iso.datetime(),
    mail: z.email(),
    link: z.url(),
    id: z.uuid(),
    quantity: z.number().int().positive(),
    status: z.enum(['paid', 'open']),
    note: z.string().optional(),
    lines: z.array(z.object({ sku: z.string(), tags: z.tuple([z.string(), z.boolean()]) })).min(2),
    by: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('card'), digits: z.string().length(4) }),
      z.object({ kind: z.literal('cash') }),
    ]),
    both: z.object({ a: z.string() }).and(z.object({ b: z.number().max(0.5) })),
  })
  const sample = sampleOf(jsonSchemaOf(schema))
  expect(schema.safeParse(sample)).toMatchObject({ success: true })
  expect(sample).not.toHaveProperty('note')
})

test('a schema that describes itself has an end', () => {
  let deep: object = { type: 'string' }
  for (let level = 0; level < 10_000; level++) deep = { anyOf: [deep] }
  expect(sampleOf(deep)).toBe(null)
})

test.each([
  ['no Standard JSON Schema', { '~standard': { version: 1, validate: () => ({ value: 1 }) } }],
  ['nothing', undefined],
  ['what JSON Schema cannot express', { '~standard': { jsonSchema: { input: fails } } }],
])('%s has no JSON Schema', (_, schema) => {
  expect(jsonSchemaOf(schema)).toBe(undefined)
})

function fails(): never {
  throw new Error('Date cannot be represented in JSON Schema')
}
