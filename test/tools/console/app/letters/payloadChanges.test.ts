import { describe, expect, it } from 'vitest'
import { editOf } from '../../../../../src/tools/console/app/pages/letters/payloadChanges.ts'
import { setInJson } from '../../../../../src/tools/operator/dlq/jsonChange.ts'

describe('what a person has typed', () => {
  it.each<[string, unknown, unknown, object]>([
    ['a value', { total: '7.50', sku: 'a' }, { total: 750, sku: 'a' }, { '/total': 750 }],
    [
      'a value in a list',
      { lines: [{ n: 1 }, { n: 2 }] },
      { lines: [{ n: 1 }, { n: 3 }] },
      { '/lines/1/n': 3 },
    ],
    ['a new name', { a: 1 }, { a: 1, b: null }, { '/b': null }],
    ['a longer list', { a: [1] }, { a: [1, 2] }, { '/a': [1, 2] }],
    ['a name that is gone', { a: { b: 1, c: 2 } }, { a: { c: 2 } }, { '/a': { c: 2 } }],
    ['a name of the whole that is gone', { a: 1, b: 2 }, { a: 3 }, { '.': { a: 3 } }],
    ['an inner and an outer change', { a: { b: 1, c: 2 } }, { a: { c: 3 } }, { '/a': { c: 3 } }],
    ['a name with slashes and tildes', { 'a/b~': 1 }, { 'a/b~': 2 }, { '/a~1b~0': 2 }],
    [
      'a name that no command line takes',
      { x: { 'a=b': 1 } },
      { x: { 'a=b': 2 } },
      { '/x': { 'a=b': 2 } },
    ],
    ['another kind of payload', { a: 1 }, [1], { '.': [1] }],
    ['a list as the whole', [1, 2], [1, 3], { '/1': 3 }],
  ])('%s: the command makes the same of it', (_name, before, after, set) => {
    const edit = editOf(JSON.stringify(before), JSON.stringify(after, undefined, 2))
    expect(edit).toMatchObject({ kind: 'changes', set })
    const made = Object.entries(set).reduce(
      (text, [path, value]) => setInJson(text, path, value) as string,
      JSON.stringify(before),
    )
    expect(JSON.parse(made)).toEqual(after)
  })

  it('is no change while it is only laid out in another way', () => {
    expect(editOf('{"a":1,"b":[2]}', '{\n  "b": [2], "a": 1 }')).toEqual({ kind: 'same' })
  })

  it.each([
    ['{"a":', 'This is not JSON'],
    ['', 'This is not JSON'],
  ])('%s is refused', (typed, because) => {
    expect(editOf('{"a":1}', typed)).toEqual({
      kind: 'wrong',
      because: expect.stringContaining(because),
    })
  })

  it('never writes a mask where a masked value was', () => {
    const before = '{"who":{"name":"[masked]","age":7},"n":1}'
    expect(editOf(before, before.replace('7', '8'))).toMatchObject({ set: { '/who/age': 8 } })
    expect(editOf(before, before.replace('[masked]', 'Ann'))).toMatchObject({
      set: { '/who/name': 'Ann' },
    })
    expect(editOf(before, '{"who":{"name":"[masked]"},"n":1}')).toMatchObject({ kind: 'wrong' })
    expect(editOf(before, '{"who":{"name":"[masked]","age":7}}')).toMatchObject({ kind: 'wrong' })
  })
})
