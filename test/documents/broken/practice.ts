import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../readme/documents.ts'

const PATH = join(ROOT, 'src/tools/practice.md')
const BEGIN = '<!-- begin: written by npm run practice -->\n\n'
const END = '\n<!-- end -->'

/** The part of the document that quotes a run. */
export function quoted(): string {
  return parts().middle
}

export function writeQuoted(transcript: string): void {
  const { before, after } = parts()
  writeFileSync(PATH, before + transcript + after)
}

function parts(): { before: string; middle: string; after: string } {
  const text = readFileSync(PATH, 'utf8')
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END)
  if (begin < 0 || end < begin)
    throw new Error(`${PATH}: expected ${BEGIN.trim()} and ${END.trim()}`)
  const from = begin + BEGIN.length
  return { before: text.slice(0, from), middle: text.slice(from, end), after: text.slice(end) }
}
