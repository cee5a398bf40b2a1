import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'

/** The files of the page, by their names. */
export type Assets = ReadonlyMap<string, string>

/** Of the package: one file, a third as large. From source it does not exist. */
const PACKED = new URL('page.json.br', import.meta.url)

/** From the package, or bundled from source, which needs esbuild. */
export async function loadAssets(): Promise<Assets> {
  try {
    const text = brotliDecompressSync(await readFile(PACKED)).toString()
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const { bundle } = await import('./bundle.ts')
    return bundle()
  }
}
