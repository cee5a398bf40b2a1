import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { env } from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import { missingIn } from './ready.ts'

/** `npm run release:ready`: what stands between the repository and a release. Fails while there is something. */
const textOf = (file: string): string =>
  readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')
const UNRELEASED = ['README.md', 'src/tools/init/project.ts']
const missing = missingIn({
  manifest,
  security: textOf('SECURITY.md'),
  changelog: textOf('CHANGELOG.md'),
  texts: Object.fromEntries(UNRELEASED.map((path) => [path, textOf(path)])),
  tag: env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] : undefined,
})
for (const line of missing) console.error(line)
process.exitCode = missing.length === 0 ? 0 : 1
