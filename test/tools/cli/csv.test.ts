import { describe, expect, it } from 'vitest'
import { readCsv } from '../../../src/tools/cli/csv.ts'
import { randomOf } from '../../proof/campaign/plan.ts'

async function* each<T>(values: readonly T[]) {
  yield* values
}

async function recordsOf(text: string | Uint8Array, separator = ',', pieces = [text]) {
  const records = []
  for await (const record of readCsv(each(pieces), separator)) records.push(record)
  return records
}

const fieldsOf = async (...given: Parameters<typeof recordsOf>) =>
  (await recordsOf(...given)).map(({ fields }) => fields)

describe('RFC 4180', () => {
  it.each([
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['\uFEFFa\n1', [['a'], ['1']]],
    ['"a, ""b""\r\nc",d\n', [['a, "b"\r\nc', 'd']]],
    [
      'a,\n,b\n',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['""\n', [['']]],
    ['a\n\n\r\nb\n', [['a'], ['b']]],
    ['', []],
  ])('%j', async (text, expected) => {
    expect(await fieldsOf(text)).toEqual(expected)
    expect(await fieldsOf(Buffer.from(text))).toEqual(expected)
    expect(await fieldsOf(text, ',', text.split(''))).toEqual(expected)
  })

  it('other separators, and characters cut by a chunk', async () => {
    expect(await fieldsOf('a;b\n1,5;2', ';')).toEqual([
      ['a', 'b'],
      ['1,5', '2'],
    ])
    const bytes = Buffer.from('é,😀\n')
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    expect(await fieldsOf('', ',', pieces as never)).toEqual([['é', '😀']])
  })

  it('says on which line a record begins', async () => {
    const records = await recordsOf('h\n"a\n\nb"\n\nc\n')
    expect(records.map(({ line }) => line)).toEqual([1, 2, 6])
  })

  it('reads what a writer has quoted', async () => {
    const random = randomOf(7)
    const characters = ['a', '"', ',', '\n', '\r\n', ' ', 'é', ';']
    const text = () =>
      Array.from({ length: 6 }, () => characters[Math.floor(random() * characters.length)]).join('')
    const rows = Array.from({ length: 300 }, () => [text(), text(), text()])
    const written = rows
      .map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(','))
      .join('\r\n')
    expect(await fieldsOf(written)).toEqual(rows)
  })
})

describe('what is not CSV', () => {
  it.each([
    ['a\n"b', 'line 2: its quote is not closed'],
    ['a\nb"c', 'line 2: expected no quote inside a field'],
    ['a\n"b"c', 'line 2: expected a separator or a line end behind a closing quote'],
    ['a\rb', 'line 1: expected a line end behind CR'],
    ['a\r', 'line 1: expected a line end behind CR'],
    [`a\n"${'x'.repeat(1_000_001)}`, 'line 2: expected fields of at most 1000000 characters'],
    [Buffer.from('\uFEFFa', 'utf16le'), 'expected UTF-8'],
    [Buffer.from([0x61, 0xe9, 0x0a]), 'expected UTF-8'],
    [Buffer.from([0x61, 0xc3]), 'expected UTF-8'],
  ])('%j', async (text, wrong) => {
    await expect(recordsOf(text)).rejects.toThrow(wrong)
  })
})
