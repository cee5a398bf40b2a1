/** One value of a payload that differs. undefined: it is not there. */
export interface PayloadChange {
  /** JSON pointer (RFC 6901). '': the whole. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** What `dlq edit --set` makes of a payload. */
export type Edit =
  | {
      readonly kind: 'changes'
      readonly changes: readonly PayloadChange[]
      /** Values by path. */
      readonly set: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'same' }
  | { readonly kind: 'wrong'; readonly because: string }

/** Stands for a value that the console was told to mask. */
const MASK = '[masked]'

/**
 * The changes that a person has made to a payload.
 * @param before JSON
 * @param typed what stands in the editor
 */
export function editOf(before: string, typed: string): Edit {
  const one = parse(before)
  const other = parse(typed)
  if ('because' in one) return { kind: 'wrong', because: 'The payload is not JSON.' }
  if ('because' in other) return { kind: 'wrong', because: `This is not JSON: ${other.because}` }
  const changes = [...differences('', one.value, other.value)]
  if (changes.length === 0) return { kind: 'same' }
  const set = settings(changes, other.value)
  if (Object.values(set).some(holdsMask)) {
    return {
      kind: 'wrong',
      because:
        'A value that is masked here would be replaced by its mask. Change single values beside it, or type lineclear dlq edit.',
    }
  }
  return { kind: 'changes', changes, set }
}

function parse(text: string): { readonly value: unknown } | { readonly because: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { because: error instanceof Error ? error.message : String(error) }
  }
}

function* differences(path: string, before: unknown, after: unknown): Generator<PayloadChange> {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const names = namesOf(before, after)
  if (names === undefined) {
    yield { path, before, after }
    return
  }
  for (const name of names) {
    yield* differences(`${path}/${escaped(name)}`, memberOf(before, name), memberOf(after, name))
  }
}

/** Of two objects, or of two lists of one length: a list that grows or shrinks is one change. */
function namesOf(before: unknown, after: unknown): ReadonlySet<string> | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? new Set(Object.keys(before)) : undefined
  }
  if (!isRecord(before) || !isRecord(after)) return undefined
  return new Set([...Object.keys(before), ...Object.keys(after)])
}

/** A value that is gone cannot be set, nor one whose path the command cannot take: what holds it is. */
function settings(
  changes: readonly PayloadChange[],
  after: unknown,
): Readonly<Record<string, unknown>> {
  const paths = changes.map(({ path, after: value }) =>
    typable(value === undefined ? parentOf(path) : path),
  )
  const outer = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
  if (outer.includes('')) return { '.': after }
  return Object.fromEntries(outer.map((path) => [path, at(after, path)]))
}

/** The server takes paths of so many characters. */
const LONGEST = 500

function typable(path: string): string {
  return path.length <= LONGEST && /^[^\p{Cc}=]*$/u.test(path) ? path : typable(parentOf(path))
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function at(value: unknown, path: string): unknown {
  const names = path.split('/').slice(1)
  return names.reduce((each, name) => memberOf(each, unescaped(name)), value)
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function holdsMask(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).includes(JSON.stringify(MASK))
}
