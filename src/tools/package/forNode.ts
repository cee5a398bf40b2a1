import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Metafile, type Plugin, transform } from 'esbuild'
import { DIST, type Entries, FOR_LAMBDA, PROGRAMS, PUBLIC, ROOT } from './entries.ts'
import { importsOf, OPTIONS, placed, writeAt } from './sources.ts'

/**
 * Node loads a package from node_modules file by file, half a millisecond each, and a consumer imports 319: so it gets them in a few
 * files. They are CommonJS, which `require` and jest can load. `import` gets the same files by way of an ES module: there is one copy of
 * the package in a process, and so one class of each error.
 */
const NODE = join(DIST, 'node')
/** What a Lambda loads. */
const RUNTIME = ['src/library/index.ts', 'src/library/adapters/store/dynamodb/index.ts']
const SHARED = 'lineclear:shared'

interface Chunk {
  readonly name: string
  readonly text: string
  readonly exports: readonly string[]
  /** Chunks, at once or later. */
  readonly imports: readonly string[]
}

export async function buildForNode(): Promise<void> {
  const chunks = await chunksOf({ ...PUBLIC, ...PROGRAMS })
  const inLambda = loadedBy(Object.keys(FOR_LAMBDA), chunks)
  await mkdir(NODE, { recursive: true })
  for (const chunk of chunks) {
    const code = await toCommonJs(chunk, { keepsNames: inLambda.has(chunk.name) })
    await writeFile(join(NODE, chunk.name), code)
  }
  for (const name of Object.keys(PUBLIC)) await writeModule(name, chunks)
  for (const [name, file] of Object.entries(PROGRAMS)) await writeProgram(name, file)
}

async function chunksOf(entries: Entries): Promise<readonly Chunk[]> {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: entries,
    outExtension: { '.js': '.cjs' },
    plugins: await oneSharedFile(entries),
    // esbuild warns of the bare imports in SHARED: they only decide which modules share a file.
    logOverride: { 'ignored-bare-import': 'silent' },
  })
  return outputFiles.map(({ path, text }) => ({ text, ...factsOf(basename(path), metafile) }))
}

function factsOf(name: string, { outputs }: Metafile): Omit<Chunk, 'text'> {
  const [, output] = Object.entries(outputs).find(([path]) => basename(path) === name) ?? []
  const inside = output?.imports.filter(({ external }) => external !== true) ?? []
  return { name, exports: output?.exports ?? [], imports: inside.map(({ path }) => basename(path)) }
}

/**
 * esbuild makes one file of the modules that the same entries import, and counts what is loaded later as an entry. So each of them
 * imports all that a Lambda loads, which thereby becomes one file.
 */
async function oneSharedFile(entries: Entries): Promise<Plugin[]> {
  const imports = Object.values(await importsOf(entries)).flatMap((input) => input.imports)
  const later = imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path)
  const importing = new Set([...Object.values(entries), ...later])
  const contents = RUNTIME.map((file) => `import './${file}'`).join('\n')
  const shared: Plugin = {
    name: 'one shared file',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${SHARED}$`) }, ({ path }) => ({ path, namespace: SHARED }))
      onLoad({ filter: /.*/, namespace: SHARED }, () => ({ contents, resolveDir: ROOT }))
    },
  }
  return [shared, placed((file) => (importing.has(file) ? `\nimport '${SHARED}'` : ''))]
}

function loadedBy(entries: readonly string[], chunks: readonly Chunk[]): ReadonlySet<string> {
  const loaded = new Set(entries.map((name) => `${name}.cjs`))
  for (const name of loaded) {
    for (const to of chunks.find((chunk) => chunk.name === name)?.imports ?? []) loaded.add(to)
  }
  return loaded
}

/** By what literal `import(…)` loads what CommonJS can load: jest has no other way. The rest stays, such as the user's own modules. */
const LOADED_LATER = /\bimport\("((?:\.\/|@aws-sdk\/)[^"]+)"\)/g
/** Within `try` a bundler goes on without an optional package that is not installed. */
const REQUIRED = '(async()=>{try{return require("$1")}catch(e){throw e}})()'

/** @param options `keepsNames`: of functions and classes. Stacks in the log of a function name them. */
async function toCommonJs({ text }: Chunk, { keepsNames }: { keepsNames: boolean }) {
  const { code } = await transform(text.replace(LOADED_LATER, REQUIRED), {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    sourcefile: 'chunk.mjs',
    define: { 'import.meta.url': 'LINECLEAR_URL' },
    minifyIdentifiers: !keepsNames,
  })
  const url = 'require("node:url").pathToFileURL(__filename).href'
  return smaller(code.replaceAll('LINECLEAR_URL', url))
}

/** The names at the top stay. A stack also names the line. */
async function smaller(commonJs: string): Promise<string> {
  const { code } = await transform(commonJs, { platform: 'node', minify: true, lineLimit: 160 })
  return code
}

async function writeModule(name: string, chunks: readonly Chunk[]): Promise<void> {
  const names = chunks.find((chunk) => chunk.name === `${name}.cjs`)?.exports ?? []
  const text = `import cjs from './${name}.cjs'\nexport const { ${names.join(', ')} } = cjs\n`
  await writeFile(join(NODE, `${name}.js`), text)
}

/** At the path of its source below `src`, with the same first line. */
async function writeProgram(name: string, file: string): Promise<void> {
  const [first = ''] = (await readFile(join(ROOT, file), 'utf8')).split('\n')
  const shebang = first.startsWith('#!') ? `${first}\n` : ''
  const code = (from: string): string => `${shebang}import '${from}'\n`
  await writeAt(file, join(NODE, `${name}.cjs`), code)
}
