import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { writeDeclarations } from '../../../src/tools/package/declarations.ts'
import { DIST } from '../../../src/tools/package/entries.ts'
import { mistakeIn, update } from './frozen.ts'
import { API, api, changelog, FORMATS, formats } from './texts.ts'

/**
 * `npm run frozen` builds the declarations and says whether names, signatures and stored fields are those that are checked in;
 * with `-- --update` it writes them, if the changelog says what has changed.
 */
await writeDeclarations()
const isUpdate = argv.includes('--update')
const texts = [
  { path: API, frozen: api(join(DIST, 'types')) },
  { path: FORMATS, frozen: formats() },
]
for (const { path, frozen } of texts) {
  const updated = isUpdate ? update(changelog(), frozen) : undefined
  if (updated !== undefined) writeFileSync(path, updated)
  const wrong = updated === undefined ? mistakeIn(changelog(), frozen) : undefined
  if (wrong === undefined) continue
  console.error(wrong)
  process.exitCode = 1
}
