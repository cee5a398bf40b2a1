import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The page in three files. */
export interface Page {
  readonly html: string
  readonly script: string
  readonly style: string
  /** Of the packages that are in it: their licenses ask for that. */
  readonly licenses: string
}

const APP = fileURLToPath(new URL('app/', import.meta.url))

/** Bundles the sources that stand beside this file. Only developers have esbuild: users get what `writePage` has written. */
export async function bundle(): Promise<Page> {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: APP,
    entryPoints: { app: 'main.tsx', style: 'style/app.css' },
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
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return {
    html: await readFile(join(APP, 'index.html'), 'utf8'),
    script: textOf('app.js'),
    style: textOf('style.css'),
    licenses: await licensesOf(Object.keys(metafile.inputs)),
  }
}

async function licensesOf(files: readonly string[]): Promise<string> {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  const texts = [...new Set(folders)].toSorted().map(async (folder) => {
    const text = await readFile(join(APP, folder, 'LICENSE'), 'utf8')
    return `${folder.replace(/^.*node_modules\//, '')}\n\n${text.trim()}\n`
  })
  return (await Promise.all(texts)).join('\n\n')
}

/** For the package. */
export async function writePage(folder: string): Promise<void> {
  const { html, script, style, licenses } = await bundle()
  await mkdir(folder, { recursive: true })
  await Promise.all([
    writeFile(join(folder, 'index.html'), html),
    writeFile(join(folder, 'app.js'), script),
    writeFile(join(folder, 'app.css'), style),
    writeFile(join(folder, 'licenses.txt'), licenses),
  ])
}
