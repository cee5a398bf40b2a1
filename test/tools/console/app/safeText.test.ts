import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { piecesOf, plainText } from '../../../../src/tools/console/app/parts/safeText.ts'

const marks = (text: string): readonly string[] =>
  piecesOf(text).flatMap(({ text: shown, isMark }) => (isMark ? [shown] : []))

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

describe('a foreign text', () => {
  it.each([
    ['a control', '\u001b[2J', ['U+001B']],
    ['a C1 control', 'a\u0085', ['U+0085']],
    ['a return', 'a\r\nb', ['U+000D']],
    ['a mark of direction', 'a\u202eb', ['U+202E']],
    ['an isolate', '\u2066a\u2069', ['U+2066', 'U+2069']],
    ['an invisible space', 'a\u200bb', ['U+200B']],
    ['a soft hyphen', 'a\u00adb', ['U+00AD']],
    ['a separator of lines', 'a\u2028b', ['U+2028']],
    ['a tag', 'a\u{e0041}', ['U+E0041']],
    ['a filler', 'a\u3164b', ['U+3164']],
    ['half of a pair', 'a\ud800b', ['U+D800']],
    ['a byte order mark', '\ufeffa', ['U+FEFF']],
  ])('shows %s by its code', (_, text, expected) => {
    expect(marks(text)).toEqual(expected)
  })

  it.each(['plain', 'Ünïcode', '日本語', 'עברית', '👍', 'a b', '<b>&amp;</b>'])(
    'shows %s as it is',
    (text) => {
      expect(piecesOf(text)).toEqual([{ text, isMark: false }])
    },
  )

  it('has a plain form for titles', () => {
    expect(plainText('a\u202eb')).toBe('a⟨U+202E⟩b')
  })

  it('keeps lines and tabs, and nothing else', () => {
    expect(piecesOf('a\n\tb\r')).toEqual([
      { text: 'a\n\tb', isMark: false },
      { text: 'U+000D', isMark: true },
    ])
  })

  it('loses nothing of what it does not mark, and has no hidden character left', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const kept = piecesOf(text).map((each) => (each.isMark ? '' : each.text))
        expect(kept.join('')).toBe(text.replaceAll(HIDDEN, ''))
      }),
    )
  })
})
