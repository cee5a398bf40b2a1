import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type BuildOptions, type Metafile, type Plugin, transform } from 'esbuild'
import { DIST, type Entries, ROOT } from './entries.ts'

/** How sources become ES modules in few files; the dependencies stay imports. */
export const OPTIONS = {
  absWorkingDir: ROOT,
  outdir: 'dist',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  metafile: true,
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions

export async function importsOf(entries: Entries): Promise<Metafile['inputs']> {
  const { metafile } = await build({ ...OPTIONS, entryPoints: entries, plugins: [placed()] })
  return metafile.inputs
}

/**
 * A module finds other files of the package by its URL, wherever the bundle is: so `import.meta.url` becomes the URL that the module
 * would have in `dist` at its path in `src`.
 * @param after of a file: code that is added to it
 */
export function placed(after: (file: string) => string = () => ''): Plugin {
  return {
    name: 'placed',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].+\.ts$/ }, async ({ path }) => {
        const file = pathBetween(ROOT, path)
        const text = await readFile(path, 'utf8')
        if (!text.includes('import.meta.url')) return { contents: text + after(file), loader: 'ts' }
        // Not within a string, such as the banner of a function's bundle.
        const define = { 'import.meta.url': 'PLACED_URL' }
        const { code } = await transform(text, { loader: 'ts', target: 'node22', define })
        const url = `new URL('../${file.replace(/^src\//, '').replace(/\.ts$/, '.js')}', import.meta.url).href`
        return { contents: code.replaceAll('PLACED_URL', url) + after(file), loader: 'js' }
      })
    },
  }
}

/** As an import names it, on Windows too. */
function pathBetween(from: string, to: string): string {
  return relative(from, to).replaceAll('\\', '/')
}

/** Writes code in the place of a source. @param code gets the relative path from there to the file `to` */
export async function writeAt(
  file: string,
  to: string,
  code: (from: string) => string,
): Promise<void> {
  const at = join(DIST, file.replace(/^src\/(.*)\.ts$/, '$1.js'))
  await mkdir(dirname(at), { recursive: true })
  await writeFile(at, code(pathBetween(dirname(at), to)))
}
