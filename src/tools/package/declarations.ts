import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { DIST, PUBLIC, ROOT } from './entries.ts'

const TYPES = join(DIST, 'types')

/**
 * What the compiler emits for each source becomes one file for each entry, and one for what several of them name: an error class is
 * the same type everywhere. These are the declarations of CommonJS; those of the ES modules pass them on.
 */
export async function writeDeclarations(): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), 'lineclear-types-'))
  try {
    emit(emitted)
    await bundle(emitted)
  } finally {
    await rm(emitted, { recursive: true })
  }
  for (const name of Object.keys(PUBLIC)) {
    await writeFile(join(TYPES, `${name}.d.ts`), `export * from './${name}.cjs'\n`)
  }
}

function emit(folder: string): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = ['-p', 'src/tools/package/tsconfig.json', '--noEmit', 'false']
  const args = [compiler, ...options, '--emitDeclarationOnly', '--outDir', folder]
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('The declarations were not emitted')
}

async function bundle(folder: string): Promise<void> {
  const input: Record<string, string> = {}
  for (const [name, file] of Object.entries(PUBLIC)) {
    input[name] = join(folder, file.replace(/^src\/(.*)\.ts$/, '$1.d.ts'))
  }
  const bundled = await rolldown({
    input,
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    plugins: dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, generator: 'oxc' }),
  })
  await bundled.write({
    dir: TYPES,
    entryFileNames: '[name].d.cts',
    chunkFileNames: '[name].d.cts',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  })
}
