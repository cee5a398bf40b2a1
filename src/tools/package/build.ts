import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { bundle } from '../console/bundle.ts'
import { readExamples } from '../init/examples.ts'
import { writeDeclarations } from './declarations.ts'
import { DIST } from './entries.ts'
import { buildForBundlers } from './forBundlers.ts'
import { buildForNode } from './forNode.ts'

/**
 * `npm run build`, which npm also runs before it packs and when it installs from git: writes `dist`, all of the package but its documents.
 *
 * | folder | for | holds |
 * | --- | --- | --- |
 * | `node` | programs that are not bundled, and tests | CommonJS in a few files, and an ES module for each entry that passes it on |
 * | `bundler` | esbuild, Vite, webpack, Rollup (condition `module`) | ES modules, of which a function gets what it uses |
 * | `types` | the compiler | one declaration file for each entry, and what they share |
 * | `tools` | `lineclear console` and `init` | the page; what is written from |
 *
 * `docs` is written by `npm run docs`. The other folders hold what is found by its path, each file with one line.
 */
await rm(DIST, { recursive: true, force: true })
await buildForNode()
await buildForBundlers()
await writeDeclarations()
await pack('tools/console/page.json.br', Object.fromEntries(await bundle()))
await pack('tools/init/examples.json.br', readExamples())

async function pack(path: string, value: unknown): Promise<void> {
  const file = join(DIST, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, brotliCompressSync(JSON.stringify(value)))
}
