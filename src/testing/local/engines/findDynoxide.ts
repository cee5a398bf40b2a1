import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The path of the dynoxide binary; undefined where there is none, or LINECLEAR_LOCAL_ENGINE is `typescript`. The package `dynoxide` brings it as its own dependency `@dynoxide/<platform>-<arch>`, which
 * may also be installed alone. The binary is started directly and not by the package's script, because killing the script would
 * orphan the binary.
 */
export function findDynoxide(): string | undefined {
  if (process.env['LINECLEAR_LOCAL_ENGINE'] === 'typescript') return undefined
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  for (const base of searchBases()) {
    const directory = directoryOf(platformPackage(), base)
    if (directory !== undefined && existsSync(join(directory, file))) return join(directory, file)
  }
  return undefined
}

/** Where to search: from the wrapper package, from this file, and from the program. */
function searchBases(): readonly string[] {
  const own = [import.meta.url, join(process.cwd(), 'package.json')]
  const wrapper = own
    .map((base) => directoryOf('dynoxide', base))
    .find((path) => path !== undefined)
  return wrapper === undefined ? own : [join(wrapper, 'package.json'), ...own]
}

function platformPackage(): string {
  return `@dynoxide/${process.platform}-${process.arch}`
}

function directoryOf(name: string, base: string): string | undefined {
  try {
    return dirname(createRequire(base).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
