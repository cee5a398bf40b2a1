import { isObject } from '../../library/base/kindOf.ts'
import { shellWord } from '../operator/text/commandLine.ts'
import type { JsonObject } from './reply.ts'

/** Shown in place of a text: its length in bytes, and the beginning of a large one. */
export interface Hidden {
  readonly bytes: number
  readonly start?: string
}

function mapValues(
  object: JsonObject,
  change: (name: string, value: unknown) => unknown,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(name, value)]),
  )
}

/** Characters from which a text is folded: a page that draws it would freeze. */
const LARGE = 256 * 1_024
const START = 4_096

/** Large texts with their size and their beginning in place of the whole. */
export function fold(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LARGE) {
    return { bytes: Buffer.byteLength(value), start: value.slice(0, START) } satisfies Hidden
  }
  if (Array.isArray(value)) return (value as unknown[]).map(fold)
  return isObject(value) ? mapValues(value, (_, each) => fold(each)) : value
}

/** Masks parts of payloads in an answer. */
export type Redact = (answer: JsonObject) => JsonObject

const MASK = '[masked]'

/** `customer.email`, `lines.*.sku` or `/lines/0/sku`: the names on the way to a value; `*` is any. */
type Path = readonly string[]

/**
 * @param given paths into JSON payloads; `@NAME` is a message attribute. A payload that is not JSON is masked as a whole, since no
 * path leads into it
 */
export function redactor(given: readonly string[]): Redact {
  if (given.length === 0) return (answer) => answer
  const attributes = new Set(given.filter(isAttribute).map((each) => each.slice(1)))
  const paths = given.filter((each) => !isAttribute(each)).map(namesOf)
  return (answer) => maskMembers(answer, paths, attributes)
}

function isAttribute(path: string): boolean {
  return path.startsWith('@')
}

function namesOf(path: string): Path {
  if (!path.startsWith('/')) return path.split('.')
  const names = path.slice(1).split('/')
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function maskMembers(
  object: JsonObject,
  paths: readonly Path[],
  attributes: ReadonlySet<string>,
): JsonObject {
  return mapValues(object, (name, value) => {
    if (name === 'attributes' && isObject(value)) {
      return mapValues(value, (each, text) => (attributes.has(each) ? MASK : text))
    }
    if (name === 'after' && Array.isArray(value)) return maskChanges(value, paths)
    return mask(value, name, paths, attributes)
  })
}

function mask(
  value: unknown,
  name: string,
  paths: readonly Path[],
  attributes: ReadonlySet<string>,
): unknown {
  if (typeof value === 'string') return maskText(value, paths, PAYLOADS.has(name))
  if (Array.isArray(value)) {
    return (value as unknown[]).map((each) => mask(each, name, paths, attributes))
  }
  return isObject(value) ? maskMembers(value, paths, attributes) : value
}

const PAYLOADS: ReadonlySet<string> = new Set(['body', 'payload'])

function maskText(text: string, paths: readonly Path[], isPayload: boolean): string {
  if (paths.length === 0) return text
  if (text.startsWith('lineclear ')) return maskCommand(text, paths)
  const json = parse(text)
  if (json === undefined) return isPayload ? MASK : text
  for (const path of paths) maskAt(json.value, path)
  return JSON.stringify(maskNested(json.value, paths))
}

/** A word of a command line, as `shellWord` quotes it. */
const WORD = /(?:'(?:[^']|'\\'')*'|[^\s'])+/g

/** A command that sets a payload or an answer says it again: `--set lines.0.price=17`, `--result={…}`. */
function maskCommand(line: string, paths: readonly Path[]): string {
  return line.replaceAll(WORD, (word) => {
    const text = word.replaceAll(/'((?:[^']|'\\'')*)'/g, (_, quoted: string) =>
      quoted.replaceAll(`'\\''`, "'"),
    )
    const [, option = '', value = text] = /^(--[\w-]+=)(.*)$/s.exec(text) ?? []
    const masked = option + maskValue(value, paths)
    return masked === text ? word : shellWord(masked)
  })
}

function maskValue(value: string, paths: readonly Path[]): string {
  const [, path, set = ''] = /^([^={["]+)=(.*)$/s.exec(value) ?? []
  if (path === undefined) return maskText(value, paths, false)
  const names = namesOf(path)
  const isHidden = paths.some((each) => isOnWay(names, each))
  return `${path}=${isHidden ? JSON.stringify(MASK) : maskText(set, paths, false)}`
}

/** Notifications and events carry a payload as a text inside theirs. */
function maskNested(value: unknown, paths: readonly Path[]): unknown {
  if (typeof value === 'string') return maskText(value, paths, false)
  if (Array.isArray(value)) return (value as unknown[]).map((each) => maskNested(each, paths))
  if (!isObject(value) || EXACT.isRawJSON(value)) return value
  return mapValues(value, (_, each) => maskNested(each, paths))
}

/** Keeps the digits of numbers: one of 20 digits would be shown as another one. Node.js has it from 22 on, TypeScript's types do not. */
const EXACT = JSON as unknown as {
  rawJSON(text: string): object
  isRawJSON(value: object): boolean
  parse(
    text: string,
    revive: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
}

function maskAt(value: unknown, [name, ...rest]: Path): void {
  if (name === undefined || typeof value !== 'object' || value === null) return
  const members = value as Record<string, unknown>
  const names = name === '*' ? Object.keys(members) : Object.hasOwn(members, name) ? [name] : []
  for (const each of names) {
    if (rest.length === 0) members[each] = MASK
    else maskAt(members[each], rest)
  }
}

/** Parses objects and lists; no path leads into another value. */
function parse(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value = EXACT.parse(text, (_, each, { source }) =>
      typeof each === 'number' && source !== undefined ? EXACT.rawJSON(source) : each,
    )
    return { value }
  } catch {
    return undefined
  }
}

/** Masks lines of an edit, such as `lines.0.price: 17 → 18`. The line of a path above or below a masked one would show its value, too. */
function maskChanges(changes: readonly unknown[], paths: readonly Path[]): readonly unknown[] {
  return changes.map((change) => {
    if (typeof change !== 'string' || paths.length === 0) return change
    const [, path] = /^(\S+): .* → /s.exec(change) ?? []
    if (path === undefined) return change.includes(' → ') || /^[-+] /.test(change) ? MASK : change
    const names = path.split('.')
    return paths.some((each) => isOnWay(names, each)) ? `${path}: ${MASK}` : change
  })
}

function isOnWay(names: Path, masked: Path): boolean {
  const shared = Math.min(names.length, masked.length)
  return masked.slice(0, shared).every((name, at) => name === '*' || name === names[at])
}
