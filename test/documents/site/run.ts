import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { reference } from './reference.ts'
import { htmlOf, llmsText } from './site.ts'

/** `npm run docs`: the reference as Markdown, which the package carries, and as a plain site beside it. */
const dist = resolve(import.meta.dirname, '../../../dist')
const [docs, site] = [join(dist, 'docs'), join(dist, 'site')]
const pages = reference()
for (const directory of [docs, site]) mkdirSync(directory, { recursive: true })
for (const page of pages) {
  writeFileSync(join(docs, `${page.name}.md`), page.text)
  writeFileSync(join(site, `${page.name}.html`), htmlOf(page, pages))
}
writeFileSync(join(docs, 'llms.txt'), llmsText(pages))
