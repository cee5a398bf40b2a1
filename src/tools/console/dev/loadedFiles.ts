import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
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
function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`
}

/** Watches files, also when an editor replaces them by renaming another. */
interface FileWatch {
  /** From now on: a file that was changed since it was loaded is noticed at once. */
  add(file: LoadedFile): void
  /** Forgets all files. */
  clear(): void
  stop(): void
}

/** An editor writes several times: the change counts when nothing was written for so long. */
const SETTLED_MS = 60
/** Where the system reports nothing (network drives, some containers), and after a report was lost. */
const LOOK_MS = 2_000

/** @param changed is called once for changes that follow each other closely */
export function watchFiles(changed: () => void): FileWatch {
  const files = new Map<string, string | undefined>()
  const folders = new Map<string, FSWatcher>()
  let settling: NodeJS.Timeout | undefined
  const looking = setInterval(look, LOOK_MS)
  looking.unref()

  function look(): void {
    if (![...files].some(([path, stamp]) => stampOf(path) !== stamp)) return
    clearTimeout(settling)
    settling = setTimeout(() => {
      // A file that is gone is being replaced, or was deleted: only then the next load says so.
      changed()
    }, SETTLED_MS)
  }

  /** A watched file is lost when it is replaced, so its folder is watched. */
  function watchFolder(path: string): void {
    const folder = dirname(path)
    if (folders.has(folder)) return
    try {
      const watcher = watch(folder, () => look())
      watcher.on('error', () => {
        watcher.close()
        folders.delete(folder)
      })
      folders.set(folder, watcher)
    } catch {
      // The folder does not exist, or there are no watchers left: `LOOK_MS` finds the change.
    }
  }

  return {
    add: ({ path, stamp }) => {
      files.set(path, stamp)
      watchFolder(path)
      if (stampOf(path) !== stamp) look()
    },
    clear: () => {
      clearTimeout(settling)
      files.clear()
    },
    stop: () => {
      clearTimeout(settling)
      clearInterval(looking)
      for (const watcher of folders.values()) watcher.close()
    },
  }
}
