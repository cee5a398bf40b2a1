import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { argv, env } from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import { PROVEN } from '../proof/lateAttempts/proven.ts'
import { newerThan } from './newer.ts'
import { missingIn } from './ready.ts'

/**
 * `npm run release:ready`: what stands between the repository and a release. Fails while there is something.
 * With `--npm` it asks npm for the latest versions of the peers in `test/README.md`.
 */
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
const newer = argv.includes('--npm') ? await newerThan(PROVEN) : []
const lines = [...missing, ...newer]
for (const line of lines) console.error(line)
process.exitCode = lines.length === 0 ? 0 : 1
