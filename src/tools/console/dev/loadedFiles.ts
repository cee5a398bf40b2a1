import { registerHooks } from 'node:module'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { LoadedFile } from './protocol.ts'

const OWN = fileURLToPath(new URL('../../../', import.meta.url))

/** Neither a package's nor Lineclear's own, from its repository. */
export function isUsers(path: string): boolean {
  return !/[\\/]node_modules[\\/]/.test(path) && !path.startsWith(OWN)
}

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
    if (isUsers(path)) loaded({ path, stamp: stampOf(path) })
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
function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`
}

/** Looks at files again and again: reports of the system are lost where editors replace files, on network drives and in containers. */
interface FileWatch {
  /** From now on: a file that was changed since it was loaded is noticed at the next look. */
  add(file: LoadedFile): void
  clear(): void
  stop(): void
}

/** A look at a hundred files takes a millisecond. */
const LOOK_MS = 250

/**
 * @param changed is called when a changed file was the same at two looks: an editor writes several times, and a file that is gone is
 * being replaced, or was deleted: only then the next load says so
 */
export function watchFiles(changed: () => void): FileWatch {
  const files = new Map<string, string | undefined>()
  let seen = ''
  const looking = setInterval(() => {
    const other = [...files].filter(([path, stamp]) => stampOf(path) !== stamp)
    const now = other.map(([path]) => `${path} ${stampOf(path)}`).join('\n')
    if (now !== '' && now === seen) changed()
    seen = now
  }, LOOK_MS)
  looking.unref()
  return {
    add: ({ path, stamp }) => void files.set(path, stamp),
    clear: () => files.clear(),
    stop: () => clearInterval(looking),
  }
}
