import MiniSearch from 'minisearch'
import type { Section } from '../sections.ts'

export interface Found extends Section {
  /** Of its text, around the first word that was looked for. */
  readonly excerpt: string
}

const MOST = 20

/** @returns a function that finds the sections which have all words of a query, or words that begin with them, the best first */
export function finder(sections: readonly Section[]): (query: string) => readonly Found[] {
  const index = new MiniSearch<Section & { readonly id: number }>({
    fields: ['name', 'page', 'under', 'text'],
    processTerm: (word, field) =>
      field === 'text' ? [word, ...partsOf(word)].map(lower) : lower(word),
    searchOptions: {
      processTerm: lower,
      combineWith: 'AND',
      prefix: true,
      // One letter may be wrong in a word of seven.
      fuzzy: 0.15,
      boost: { name: 4 },
      // One of many fields of that name.
      boostDocument: (id) => (sections[Number(id)]?.under === undefined ? 1 : 0.6),
    },
  })
  index.addAll(sections.map((section, id) => ({ ...section, id })))
  return (query) => {
    const isCalledSo = ({ name, under }: Section): boolean =>
      under === undefined && lower(name) === lower(query.trim())
    const found = index.search(query).flatMap(({ id, terms }) => {
      const section = sections[Number(id)]
      return section === undefined ? [] : [{ section, terms }]
    })
    return [true, false]
      .flatMap((isWanted) => found.filter(({ section }) => isCalledSo(section) === isWanted))
      .slice(0, MOST)
      .map(({ section, terms }) => ({ ...section, excerpt: excerptOf(section, terms) }))
  }
}

/** `lockTokens` is also found by `tokens`. */
function partsOf(word: string): readonly string[] {
  return /[a-z][A-Z]/.test(word) ? word.split(/(?<=[a-z])(?=[A-Z])/) : []
}

function lower(word: string): string {
  return word.toLowerCase()
}

/** Characters. */
const BEFORE = 40
const LENGTH = 160

function excerptOf({ text }: Section, terms: readonly string[]): string {
  const places = terms.map((term) => lower(text).indexOf(term)).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...places, text.length) - BEFORE)
  const start = places.length === 0 || from === 0 ? 0 : text.indexOf(' ', from) + 1
  const end = start + LENGTH
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}
