/** A file of templates, and the templates that are nested in it, by the logical name of their stack. */
export interface FixFile {
  readonly file: string
  readonly kind: 'cloudformation' | 'terraform'
  readonly value: unknown
  readonly json: boolean
  readonly lineOf: (path: readonly string[]) => number | undefined
  readonly nested: Readonly<Record<string, FixFile>>
}

export interface Located {
  readonly file: FixFile
  /** What ids of the file begin with. */
  readonly prefix: string
}

/** The file that an id belongs to: its ids begin with the file's name, and those of nested stacks with theirs. */
export function locate(
  id: string,
  files: readonly (FixFile & { readonly name: string })[],
): Located | undefined {
  const [only] = files
  const file = files.length === 1 ? only : files.find(({ name }) => id.startsWith(`${name}.`))
  if (file === undefined) return undefined
  const prefix = file.name === '' ? '' : `${file.name}.`
  if (file.kind === 'cloudformation') return within(id, file, prefix)
  // Within a module, addresses do not begin with its path.
  const [path = ''] = /^(module\.[^.[]+(\[[^\]]*\])?\.)*/.exec(id.slice(prefix.length)) ?? []
  return { file, prefix: `${prefix}${path}` }
}

function within(id: string, file: FixFile, prefix: string): Located {
  const [stack = ''] = id.slice(prefix.length).split('.')
  const nested = Object.hasOwn(file.nested, stack) ? file.nested[stack] : undefined
  return nested === undefined ? { file, prefix } : within(id, nested, `${prefix}${stack}.`)
}
