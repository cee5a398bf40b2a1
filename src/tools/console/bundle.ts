import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const APP = fileURLToPath(new URL('app/', import.meta.url))

/**
 * The files of the page by name, and `licenses.txt` of the packages that are in it: their licenses ask for that.
 * Bundles the sources beside this file. Only developers have esbuild: users get what `npm run build` has packed.
 */
export async function bundle(): Promise<ReadonlyMap<string, string>> {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: APP,
    entryPoints: [
      { in: 'main.tsx', out: 'app' },
      { in: 'style/app.css', out: 'app' },
    ],
    outdir: 'out',
    bundle: true,
    metafile: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Otherwise the tsconfig.json beside it would be read a second time, by other rules.
    tsconfigRaw: {},
    legalComments: 'none',
    logLevel: 'silent',
  })
  const built = outputFiles.map(({ path, text }) => [basename(path), text] as const)
  return new Map([
    ['index.html', await readFile(join(APP, 'index.html'), 'utf8')],
    ...built,
    ['licenses.txt', await licensesOf(Object.keys(metafile.inputs))],
  ])
}

async function licensesOf(files: readonly string[]): Promise<string> {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  // Dagre's own bundle holds it, so esbuild does not see it.
  const within = folders.flatMap((folder) =>
    folder.endsWith('/dagre') ? [folder.replace(/dagre$/, 'graphlib')] : [],
  )
  const texts = [...new Set([...folders, ...within])].toSorted().map(async (folder) => {
    const text = await readFile(join(APP, folder, 'LICENSE'), 'utf8')
    return `${folder.replace(/^.*node_modules\//, '')}\n\n${text.trim()}\n`
  })
  return (await Promise.all(texts)).join('\n\n')
}
