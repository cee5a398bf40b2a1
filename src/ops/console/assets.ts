import { readFile } from 'node:fs/promises'

/** The files of the page. */
export interface Assets {
  readonly html: string | Uint8Array
  readonly script: string | Uint8Array
  readonly style: string | Uint8Array
}

/** Where `npm run build` writes them. From source the folder does not exist. */
const PACKAGED = new URL('../../console/', import.meta.url)

/** From the package, or bundled from source, which needs esbuild. */
export async function loadAssets(): Promise<Assets> {
  const read = async (name: string): Promise<Uint8Array> => readFile(new URL(name, PACKAGED))
  try {
    const [html, script, style] = await Promise.all(
      ['index.html', 'app.js', 'app.css'].map(read) as [
        Promise<Uint8Array>,
        Promise<Uint8Array>,
        Promise<Uint8Array>,
      ],
    )
    return { html, script, style }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const { bundle } = await import('./bundle.ts')
    return bundle()
  }
}
