import { createHash } from 'node:crypto'

/**
 * A text that users rely on, as it is checked in. Its first line has the fingerprint of the section of CHANGELOG.md that it was written
 * with: the text may change only together with that section.
 */
export interface Frozen {
  /** What it is, in a sentence. */
  readonly what: string
  /** The heading in CHANGELOG.md. */
  readonly section: string
  /** As it is checked in; '' before the first time. */
  readonly held: string
  readonly text: string
}

/** The command that writes them. */
const UPDATE = 'npm run frozen -- --update'

/** @returns what is wrong, in one line */
export function mistakeIn(changelog: string, frozen: Frozen): string | undefined {
  const { what, section, held } = frozen
  const wanted = written(changelog, frozen)
  if (held === wanted) return undefined
  if (textOf(held) === frozen.text) return `'${section}' of CHANGELOG.md has changed: ${UPDATE}`
  return `${what} changed: add a line under '### ${section}' of the newest version in CHANGELOG.md, then ${UPDATE}`
}

/** @returns what is to be checked in; undefined when the changelog says nothing new about it */
export function update(changelog: string, frozen: Frozen): string | undefined {
  const { held, text, section } = frozen
  const isNew = !held.startsWith(firstLine(changelog, section))
  const isTold = isNew && sectionOf(changelog, section) !== ''
  return isTold || textOf(held) === text ? written(changelog, frozen) : undefined
}

function written(changelog: string, { section, text }: Frozen): string {
  return `${firstLine(changelog, section)}\n${text}`
}

function firstLine(changelog: string, section: string): string {
  const hash = createHash('sha256').update(sectionOf(changelog, section)).digest('hex')
  return `CHANGELOG.md ${section} ${hash.slice(0, 16)}\n`
}

function textOf(held: string): string {
  return held.slice(held.indexOf('\n\n') + 2)
}

/** Of the newest version, without its heading. '': there is none. */
export function sectionOf(changelog: string, section: string): string {
  const newest = changelog.split(/^## /m)[1] ?? ''
  const found = newest.split(/^### /m).find((part) => part.startsWith(`${section}\n`))
  return found?.slice(section.length).trim() ?? ''
}
