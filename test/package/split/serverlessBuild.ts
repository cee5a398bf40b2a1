import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** A file that esbuild makes. */
interface BuiltFile {
  readonly name: string
  readonly code: Uint8Array
}

export interface SplitBundle {
  readonly entry: string
  /** The entry, and what it imports before it runs. */
  readonly hot: readonly BuiltFile[]
  /** What is loaded later, or never. */
  readonly later: readonly BuiltFile[]
  /** Name of the file that holds the module, such as `deliver/uncommon.ts`. */
  fileOf(module: string): string
}

/**
 * Bundles with the options of serverless.yml, without writing the files.
 * @param contents the handler
 * @param more by default the SDK goes in
 */
export async function serverlessBuild(
  contents: string,
  outdir: string,
  more: BuildOptions = {},
): Promise<SplitBundle> {
  const { outputFiles, metafile } = await build({
    ...optionsOfTemplate(),
    sourcemap: false,
    outExtension: { '.js': '.mjs' },
    logLevel: 'silent',
    ...more,
    stdin: { contents, resolveDir: ROOT, sourcefile: 'handler.ts', loader: 'ts', ...more.stdin },
    entryNames: 'handler',
    outdir,
    metafile: true,
    write: false,
  })
  const outputs = byName(metafile)
  const [entry = ''] = [...outputs].find(([, { entryPoint }]) => entryPoint === 'handler.ts') ?? []
  const hot = importedBy(entry, outputs)
  const files = outputFiles.map(({ path, contents: code }) => ({ name: basename(path), code }))
  return {
    entry,
    hot: files.filter(({ name }) => hot.has(name)),
    later: files.filter(({ name }) => !hot.has(name)),
    fileOf(module) {
      const isFor = ({ entryPoint = '' }: Output): boolean => entryPoint.endsWith(`/${module}`)
      const [name] = [...outputs].find(([, output]) => isFor(output)) ?? []
      if (name === undefined) throw new Error(`${module} has no file of its own`)
      return name
    },
  }
}

type Output = Metafile['outputs'][string]

function optionsOfTemplate(): BuildOptions {
  const value = parseText(readFileSync(resolve(ROOT, 'serverless.yml'), 'utf8'))
  const { custom } = value as { custom: { esbuild: BuildOptions & Record<string, unknown> } }
  // The first two are the plugin's own; names of chunks do not matter here.
  const { exclude: _, outputFileExtension: __, plugins: ___, ...options } = custom.esbuild
  return options
}

function byName({ outputs }: Metafile): ReadonlyMap<string, Output> {
  return new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
}

function importedBy(entry: string, outputs: ReadonlyMap<string, Output>): ReadonlySet<string> {
  const found = new Set([entry])
  for (const name of found) {
    for (const { path, kind, external } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) found.add(basename(path))
    }
  }
  return found
}
