import { readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { documents, linksOf, ROOT } from '../readme/documents.ts'
import { reference } from '../reference/reference.ts'
import { CONTENTS } from './contents.ts'
import { fileOf, type Place, plain, render } from './markdown.ts'

/** A page of the site. */
export interface Page {
  /** From the top of the site. */
  readonly file: string
  readonly title: string
  readonly html: string
  readonly places: ReadonlyMap<string, Place>
}

export interface PageGroup {
  readonly title: string
  readonly pages: readonly Page[]
}

interface Source {
  readonly path: string
  readonly text: string
}

/** The pages of the navigation. */
export function groupsOfPages(): readonly PageGroup[] {
  return CONTENTS.map(({ title, paths }) => {
    const chapters = title === 'Reference' ? chaptersOfReference() : []
    return { title, pages: [...chapters, ...paths.map(documentAt)].map(pageOf) }
  })
}

function chaptersOfReference(): readonly Source[] {
  return reference().map(({ name, text }) => ({ path: `reference/${name}.md`, text }))
}

function documentAt(path: string): Source {
  const found = documents.find((document) => document.path === path)
  if (found === undefined) throw new Error(`contents.ts: there is no ${path}`)
  return found
}

function pageOf({ path, text }: Source): Page {
  const { html, places } = render(text)
  return { file: fileOf(path), title: titleOf(html), html, places }
}

function titleOf(html: string): string {
  const [, title = ''] = /^<h1[^>]*>(.*)<\/h1>$/m.exec(html) ?? []
  return plain(title)
}

/** Pages of the source files that documents link to. */
export function linkedPages(): readonly Page[] {
  const linked = documents.flatMap((document) =>
    linksOf(document)
      .filter((link) => !/^#|\.md(?:#|$)/.test(link))
      .map((link) => join(document.folder, link)),
  )
  return [...new Set(linked)].map((path) => {
    const code = readFileSync(join(ROOT, path), 'utf8')
    return pageOf({ path, text: `# ${path}\n\n\`\`\`\n${code}\`\`\`\n` })
  })
}
