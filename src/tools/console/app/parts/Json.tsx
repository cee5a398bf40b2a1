import { useState } from 'preact/hooks'
import { copy } from './AsCommand.tsx'
import { Text } from './Text.tsx'
import type { Folded } from '../answers.ts'

interface JsonProps {
  readonly of: unknown
  /** Name of the file that it can be saved as. */
  readonly file?: string
}

/** Any JSON value as a tree that opens. */
export function Json({ of, file }: JsonProps) {
  const text = JSON.stringify(of, undefined, 2) ?? 'undefined'
  const isLarge = text.length > MOST_SHOWN
  return (
    <div class="json">
      <p class="json-tools">
        <span class="faint">{Math.ceil(text.length / 1024)} KB</span>
        <button type="button" class="quiet" onClick={() => void copy(text, 'JSON')}>
          copy
        </button>
        {file !== undefined && (
          <button type="button" class="quiet" onClick={() => download(text, file)}>
            download
          </button>
        )}
      </p>
      <Part value={of} depth={isLarge ? FOLDED : 0} />
    </div>
  )
}

/** Values are open down to here. */
const OPEN = 2
const FOLDED = OPEN + 1

interface PartProps {
  readonly name?: string
  readonly value: unknown
  readonly depth: number
}

function Part({ name, value, depth }: PartProps) {
  const parts = partsOf(value)
  const [open, setOpen] = useState(depth === 0 || (depth <= OPEN && isSmall(value)))
  const [shown, setShown] = useState(MOST_CHILDREN)
  const label = name === undefined ? null : <span class="json-name">{<Text of={name} />}</span>
  if (parts === undefined || parts.length === 0) {
    return (
      <div class="json-line">
        {label}
        <Leaf value={value} />
      </div>
    )
  }
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="json-line">
        {label}
        <span class="faint">{summaryOf(value)}</span>
      </summary>
      {open && (
        <div class="json-parts">
          {parts.slice(0, shown).map(([key, each]) => (
            <Part key={key} name={key} value={each} depth={depth + 1} />
          ))}
          {parts.length > shown && (
            <button type="button" class="quiet" onClick={() => setShown(shown + MOST_CHILDREN)}>
              {parts.length - shown} more
            </button>
          )}
        </div>
      )}
    </details>
  )
}

const MOST_TEXT = 2_000

function Leaf({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false)
  const kind = value === null ? 'null' : typeof value
  const text = typeof value === 'string' ? value : summaryOf(value)
  const isLong = text.length > MOST_TEXT && !whole
  return (
    <span class={`json-${kind}`}>
      <Text of={isLong ? text.slice(0, MOST_TEXT) : text} />
      {isLong && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          {text.length - MOST_TEXT} characters more
        </button>
      )}
    </span>
  )
}

/** Above it a value is folded until someone opens it, characters. Drawing it would stop the page. */
const MOST_SHOWN = 256 * 1024
/** Children that are drawn at a time. */
const MOST_CHILDREN = 100

/** A value that has parts, its parts by name; undefined: it has none. */
function partsOf(value: unknown): readonly (readonly [name: string, value: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((each, at) => [String(at), each] as const)
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  return undefined
}

/** What a folded value says of itself. */
function summaryOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length}}`
  return JSON.stringify(value) ?? 'undefined'
}

/** Whether a value is small enough to be open at once. */
function isSmall(value: unknown, most = 12): boolean {
  const parts = partsOf(value)
  return parts !== undefined && parts.length <= most
}

/** Saves a text as a file of the browser. It leaves no trace on the server. */
function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(url), KEPT)
}

/** Milliseconds. */
const KEPT = 10_000

/** @returns undefined: it is not JSON */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** A body as a tree if it is JSON, else as it is. */
export function Body({ of }: { readonly of: string | Folded | undefined }) {
  if (of === undefined) return <p class="faint">It has no body.</p>
  if (typeof of !== 'string') {
    return (
      <>
        <p>
          It has {of.bytes.toLocaleString('en')} bytes, which is too much to draw. It begins with:
        </p>
        <Plain of={of.start ?? ''} />
      </>
    )
  }
  const json = jsonIn(of)
  return json === undefined ? <Plain of={of} /> : <Json of={json.value} />
}

function Plain({ of }: { readonly of: string }) {
  return (
    <pre class="plain">
      <Text of={of} lines />
    </pre>
  )
}
