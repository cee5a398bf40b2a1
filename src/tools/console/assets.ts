import { readdir, readFile } from 'node:fs/promises'

/** The files of the page, by their names. */
export type Assets = ReadonlyMap<string, string | Uint8Array>

/** Where `npm run build` writes them. From source the folder does not exist. */
const PACKAGED = new URL('../../console/', import.meta.url)

/** From the package, or bundled from source, which needs esbuild. */
export async function loadAssets(): Promise<Assets> {
  try {
    const names = await readdir(PACKAGED)
    const files = names.map(
      async (name) => [name, await readFile(new URL(name, PACKAGED))] as const,
    )
    return new Map(await Promise.all(files))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const { bundle } = await import('./bundle.ts')
    return bundle()
  }
}
