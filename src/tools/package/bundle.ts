import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import manifest from '../../../package.json' with { type: 'json' }

/**
 * `npm run build` calls it when tsc has written `dist`. Node loads a package from node_modules file by file, half a millisecond each,
 * and a consumer imports 319: so Node gets them in a few files, in `dist/node`. Bundlers get the modules (condition `module`), because
 * they leave out what is not used, and make files of their own of what is loaded later.
 */
const DIST = resolve('dist')
/** What a Lambda loads. Relative to `dist`, as all files here. */
const RUNTIME = ['index.js', 'store/dynamodb/index.js']
/** Start as processes, found by their paths. */
const PROCESSES = ['tools/cli/main.js', 'tools/console/dev/child.js']
const SHARED = 'lineclear:shared'

const published = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.module.replace('./dist/', '')],
)
const entries = [...published, ...PROCESSES]

await build({
  absWorkingDir: DIST,
  entryPoints: entries.map((file) => ({ in: file, out: nameOf(file) })),
  outdir: 'node',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  sourcemap: 'linked',
  sourcesContent: false,
  plugins: [oneSharedFile([...entries, ...(await loadedLater())])],
  logLevel: 'warning',
  // Of SHARED: its imports count for the division into files only.
  logOverride: { 'ignored-bare-import': 'silent' },
})
await Promise.all(PROCESSES.map(replaceByBundle))

/** Of the file in the bundle: `exports` of package.json names it so. */
function nameOf(file: string): string {
  return file.replace(/(\/index)?\.js$/, '').replaceAll('/', '-')
}

/** The modules that others load with `import(…)`. */
async function loadedLater(): Promise<readonly string[]> {
  const files = (await readdir(DIST, { recursive: true })).filter((file) => file.endsWith('.js'))
  const found = files.map(async (file) => {
    const text = await readFile(join(DIST, file), 'utf8')
    return [...text.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, to = '']) =>
      join(dirname(file), to),
    )
  })
  return (await Promise.all(found)).flat()
}

/**
 * esbuild makes one file of the modules that the same entries import, and counts what is loaded later as an entry. So each of them
 * imports all that a Lambda loads, which thereby becomes one file.
 */
function oneSharedFile(files: readonly string[]): Plugin {
  const importing = new Set(files.map((file) => join(DIST, file)))
  const shared = RUNTIME.map((file) => `import './${file}'`).join('\n')
  return {
    name: 'one shared file',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${SHARED}$`) }, ({ path }) => ({ path, namespace: SHARED }))
      onLoad({ filter: /.*/, namespace: SHARED }, () => ({ contents: shared, resolveDir: DIST }))
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const module = text.replaceAll('import.meta.url', urlOf(path))
        // On the last line, so that source maps stay right.
        return { contents: importing.has(path) ? `${module}\nimport '${SHARED}'` : module }
      })
    },
  }
}

/** Code for the URL of a module, which finds other files of the package by it, wherever in the bundle it stands. */
function urlOf(path: string): string {
  return `new URL('../${relative(DIST, path)}', import.meta.url).href`
}

async function replaceByBundle(file: string): Promise<void> {
  const [first = ''] = (await readFile(join(DIST, file), 'utf8')).split('\n')
  const shebang = first.startsWith('#!') ? `${first}\n` : ''
  const bundle = relative(dirname(file), `node/${nameOf(file)}.js`)
  await writeFile(join(DIST, file), `${shebang}import '${bundle}'\n`)
}
