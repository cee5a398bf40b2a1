import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { DIST, type Entries, FOR_LAMBDA, namedByPath, SWEEPER } from './entries.ts'
import { importsOf, OPTIONS, placed, writeAt } from './sources.ts'

/**
 * Bundlers leave out what is not used, by files, and make files of their own of what is loaded later. So what each module of `lineclear`
 * exports, such as `recordHandler`, has files without what only the others need.
 */
const BUNDLER = join(DIST, 'bundler')

/** An import that only keeps the order of side effects, of which there are none. A bundler would take its file for used. */
const FOR_THE_ORDER = /\bimport"\.\/[^"]+";/g

export async function buildForBundlers(): Promise<void> {
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: { ...FOR_LAMBDA, ...SWEEPER, ...(await doors()) },
    plugins: [placed()],
    // The names stay: they are those of the user's bundle.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
  })
  await mkdir(BUNDLER, { recursive: true })
  for (const { path, text } of outputFiles) {
    await writeFile(join(BUNDLER, basename(path)), text.replace(FOR_THE_ORDER, ''))
  }
  for (const [name, file] of Object.entries(SWEEPER)) {
    const code = (from: string): string => `export { handler } from '${from}'\n`
    await writeAt(file, join(BUNDLER, `${name}.js`), code)
  }
}

/** The modules from which the entries export that only pass on: a file that is used brings all its imports, such as the SDK, along. */
async function doors(): Promise<Entries> {
  const inputs = await importsOf(FOR_LAMBDA)
  const passing = Object.values(FOR_LAMBDA).filter((file) => basename(file) === 'index.ts')
  return namedByPath(passing.flatMap((file) => inputs[file]?.imports.map(({ path }) => path) ?? []))
}
