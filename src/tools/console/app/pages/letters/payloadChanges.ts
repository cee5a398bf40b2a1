import {
  type JsonChange,
  jsonChanges,
  valueAtPointer,
} from '../../../../operator/dlq/jsonChange.ts'
import { parseJson } from '../../parts/words.ts'

export type Edit =
  | {
      readonly kind: 'changes'
      /** Values by path. */
      readonly set: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'same' }
  | { readonly kind: 'wrong'; readonly because: string }

/** Shown in place of a value that the console masks, by its options. */
const MASK = '[masked]'

/**
 * The changes that a person has made to a payload.
 * @param before JSON
 * @param typed the text in the editor
 */
export function editOf(before: string, typed: string): Edit {
  const one = parseJson(before)
  const other = parseJson(typed)
  if ('because' in one) return { kind: 'wrong', because: 'The payload is not JSON.' }
  if ('because' in other) return { kind: 'wrong', because: `This is not JSON: ${other.because}` }
  const changes = [...jsonChanges(one.value, other.value)]
  if (changes.length === 0) return { kind: 'same' }
  const set = settings(changes, other.value)
  if (Object.values(set).some(holdsMask)) {
    return {
      kind: 'wrong',
      because:
        'A value that is masked here would be replaced by its mask. Change single values beside it, or type lineclear dlq edit.',
    }
  }
  return { kind: 'changes', set }
}

/** A value that is gone cannot be set, nor one whose path the command cannot take: what holds it is. */
function settings(
  changes: readonly JsonChange[],
  after: unknown,
): Readonly<Record<string, unknown>> {
  const paths = changes.map(({ path, after: value }) =>
    typable(value === undefined ? parentOf(path) : path),
  )
  const outer = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
  if (outer.includes('')) return { '.': after }
  return Object.fromEntries(outer.map((path) => [path, valueAtPointer(after, path)]))
}

/** The server takes paths of so many characters. */
const LONGEST = 500

function typable(path: string): string {
  return path.length <= LONGEST && /^[^\p{Cc}=]*$/u.test(path) ? path : typable(parentOf(path))
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function holdsMask(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).includes(JSON.stringify(MASK))
}
