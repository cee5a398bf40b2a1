import { registerHooks } from 'node:module'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LoadedFile } from './protocol.ts'

/** Lineclear's own, from its repository: it is no part of the user's code. */
const OWN = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * Calls `loaded` with each file of the user that is loaded from now on, before it is read: packages are left out. A file that is
 * imported and does not exist counts too, because it may be created.
 */
export function watchLoads(loaded: (file: LoadedFile) => void): void {
  const seen = new Set<string>()
  const note = (url: string): void => {
    if (!url.startsWith('file:') || seen.has(url)) return
    seen.add(url)
    const path = fileURLToPath(url)
    if (/[\\/]node_modules[\\/]/.test(path) || path.startsWith(OWN)) return
    loaded({ path, stamp: stampOf(path) })
  }
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context)
      } catch (error) {
        if (/^\.{0,2}\//.test(specifier) && context.parentURL !== undefined) {
          note(new URL(specifier, context.parentURL).href)
        }
        throw error
      }
    },
    load: (url, context, next) => {
      note(url.replace(/[?#].*$/, ''))
      return next(url, context)
    },
  })
}

/** Differs when the file was written or replaced. Undefined: there is none. */
export function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`
}
