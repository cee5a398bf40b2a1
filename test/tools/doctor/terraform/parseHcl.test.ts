import { describe, expect, it } from 'vitest'
import { parseHcl } from './parseHcl.ts'

describe('a file of Terraform', () => {
  it('has blocks below their labels', () => {
    const text = `
      # Two of one name.
      locals { a = 1 }
      locals { b = "x" } // the second
      resource "aws_sqs_queue" "jobs" {
        ttl {
          enabled = true
        }
      }`
    expect(parseHcl(text)).toEqual({
      locals: [{ a: 1 }, { b: 'x' }],
      resource: { aws_sqs_queue: { jobs: [{ ttl: [{ enabled: true }] }] } },
    })
  })

  it.each([
    ['12', 12],
    ['-0.5', -0.5],
    ['null', null],
    ['"a \\"b\\" ${c["d"]} e"', 'a "b" ${c["d"]} e'],
    ['[1, "a", var.b, ] # rest', [1, 'a', '${var.b}']],
    ['[\n  "a",\n  # none\n  "b"\n]', ['a', 'b']],
    ['{ a = 1, "b c" : [], d = { e = f.g } }', { a: 1, 'b c': [], d: { e: '${f.g}' } }],
    ['{\n  a = 1\n  b = 2\n}', { a: 1, b: 2 }],
    ['6 * var.timeout', '${6 * var.timeout}'],
    ['a ? "x, y" : b', '${a ? "x, y" : b}'],
    ['["a"] == b', '${["a"] == b}'],
    ['[for a in b : a]', '${[for a in b : a]}'],
    ['merge(\n  a, { b = 1 }\n)', '${merge(\n  a, { b = 1 }\n)}'],
  ])('says %s', (text, value) => {
    expect(parseHcl(`x = ${text}\ny = 1`)).toEqual({ x: value, y: 1 })
  })

  it.each(['a = ', 'a', 'a {', 'a "b', 'a = "b', 'a = f(', 'a = [1', '}'])(
    'is refused when it is not whole: %s',
    (text) => {
      expect(() => parseHcl(text)).toThrow(/^line 1: expected /)
    },
  )
})
