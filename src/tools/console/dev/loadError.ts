import { fileURLToPath } from 'node:url'
import { relative } from 'node:path'
import { isUsers } from './loadedFiles.ts'
import type { LoadFailure } from './protocol.ts'
import type { DevError } from './types.ts'

interface Looking {
  readonly cwd: string
  /** The file that was loaded last: of some syntax errors Node.js does not say where they are. */
  readonly last: string
  /** The text of a file; undefined: it cannot be read. */
  readonly read: (path: string) => string | undefined
}

interface FoundPlace {
  readonly path: string
  readonly line?: number
}

/** An error at load, and where it is as far as that can be found out. */
export function toDevError({ message: text, stack }: LoadFailure, looking: Looking): DevError {
  const message = COMMON_JS.test(text) ? `${text}. ${ESM}` : text
  const { path, line } = placeOf(text, stack, looking) ?? {}
  if (path === undefined) return { kind: 'load', message }
  const file = relative(looking.cwd, path)
  return { kind: 'load', message, file, ...(line !== undefined && { line }) }
}

/** `npm init` makes projects whose files are CommonJS. */
const COMMON_JS = /^SyntaxError: Cannot use import statement outside a module$/
const ESM = 'Write "type": "module" in package.json'

function placeOf(message: string, stack: string, looking: Looking): FoundPlace | undefined {
  return (
    importerIn(message, looking) ??
    headOf(stack) ??
    frameOf(stack) ??
    (stack.startsWith('SyntaxError') && looking.last !== '' ? { path: looking.last } : undefined)
  )
}

function importerIn(message: string, { read }: Looking): FoundPlace | undefined {
  const found = /^.*Cannot find (?:module|package) '([^']+)' imported from (\/.*)$/m.exec(message)
  if (found === null) return undefined
  const [, missing = '', path = ''] = found
  const name = missing.split('/').at(-1) ?? ''
  const at = (read(path) ?? '').split('\n').findIndex((each) => each.includes(name))
  return at < 0 ? { path } : { path, line: at + 1 }
}

/** The place that a stack begins with: so does the stack of a syntax error, and of an error that ended the process. */
function headOf(stack: string): FoundPlace | undefined {
  const found = /^((?:file:\/\/)?\/.*):(\d+)$/m.exec(stack)
  return found === null ? undefined : placeAt(found[1], found[2])
}

/** The first frame in the user's code. */
function frameOf(stack: string): FoundPlace | undefined {
  const frames = stack.matchAll(/^ +at (?:.* \()?((?:file:\/\/)?\/[^()]+):(\d+):\d+\)?$/gm)
  return [...frames].map(([, path, line]) => placeAt(path, line)).find(({ path }) => isUsers(path))
}

function placeAt(path = '', line = ''): { readonly path: string; readonly line: number } {
  return { path: path.startsWith('file:') ? fileURLToPath(path) : path, line: Number(line) }
}
