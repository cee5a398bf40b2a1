import { plain } from './markdown.ts'
import type { Page } from './pages.ts'

/** What the search finds: a place, and the text that belongs to it. */
export interface Section {
  /** Of the place, from the top of the site. */
  readonly address: string
  readonly name: string
  /** Title of its page. */
  readonly page: string
  /** The heading above an item of a list. */
  readonly under: string | undefined
  readonly text: string
}

/** Where a heading or an item begins, and where a list ends. */
const BORDERS = /(?=<(?:h\d|li) id=")|(?<=<\/[ou]l>\n)/

export function sectionsOf({ file, title, html, places }: Page): readonly Section[] {
  const texts = new Map<string, string>()
  let heading = ''
  for (const part of html.split(BORDERS)) {
    const [, tag, own = heading] = /^<(\w+) id="([^"]*)"/.exec(part) ?? []
    if (tag?.startsWith('h') === true) heading = own
    texts.set(own, `${texts.get(own) ?? ''} ${part.replace(/^<h\d.*?<\/h\d>/, '')}`)
  }
  return [...places].map(([id, { name, under }]) => ({
    address: `${file}#${id}`,
    name,
    page: title,
    under,
    text: plain(texts.get(id) ?? ''),
  }))
}
