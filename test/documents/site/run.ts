import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { llmsText } from '../reference/llmsText.ts'
import { reference } from '../reference/reference.ts'
import { buildSite } from './buildSite.ts'

/** `npm run docs`: the reference as Markdown, which the package carries, and all documents as a site beside it. */
const dist = resolve(import.meta.dirname, '../../../dist')
const docs = join(dist, 'docs')
const pages = reference()
mkdirSync(docs, { recursive: true })
for (const page of pages) writeFileSync(join(docs, `${page.name}.md`), page.text)
writeFileSync(join(docs, 'llms.txt'), llmsText(pages))
await buildSite(join(dist, 'site'))
