import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documents, ROOT } from '../readme/documents.ts'
import { llmsText } from '../reference/llmsText.ts'
import { reference } from '../reference/reference.ts'
import { buildSite } from './buildSite.ts'

/** `npm run docs`: the reference as Markdown, which the package carries, all documents as a site beside it, and `llms.txt`. */
const dist = join(ROOT, 'dist')
const docs = join(dist, 'docs')
const pages = reference()
mkdirSync(docs, { recursive: true })
for (const page of pages) writeFileSync(join(docs, `${page.name}.md`), page.text)
writeFileSync(join(ROOT, 'llms.txt'), llmsText(pages, documents))
await buildSite(join(dist, 'site'))
