import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const APP = resolve(import.meta.dirname, '../../../../src/tools/console/app')
const files = readdirSync(APP, { recursive: true, encoding: 'utf8' })

/** What makes HTML or code of a text, leaves this origin, or sets styles that the Content Security Policy refuses. */
const FORBIDDEN = [
  /(?:inner|outer)HTML/i,
  /insertAdjacentHTML/,
  /\bsrcdoc\b/i,
  /document\.write/,
  /createContextualFragment|DOMParser|setHTML/,
  /\beval\(|new Function\(/,
  /\bstyle="/,
  /javascript:/i,
  /url\((?!['"]?data:)/,
  /https?:\/\//,
]

function breaches(text: string): readonly string[] {
  return FORBIDDEN.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
}

describe('the page', () => {
  it.each(files.filter((file) => /\.(?:tsx?|css|html)$/.test(file)))(
    '%s makes text nodes only, and asks no other host',
    (file) => {
      expect(breaches(readFileSync(join(APP, file), 'utf8'))).toEqual([])
    },
  )

  it.each([
    'element.innerHTML = text',
    'dangerouslySetInnerHTML={{ __html: text }}',
    "element['outerHTML'] = text",
    "element.insertAdjacentHTML('beforeend', text)",
    '<iframe srcdoc={text} />',
    '<p style="color: red">',
    '<a href="javascript:void 0">',
    'src: url(https://fonts.example/a.woff2)',
  ])('is found out: %s', (planted) => {
    expect(breaches(planted)).not.toEqual([])
  })
})
