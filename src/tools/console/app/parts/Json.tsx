import { useState } from 'preact/hooks'
import { copy } from './copy.ts'
import { download } from './download.ts'
import { isSmall, MOST_CHILDREN, MOST_SHOWN, partsOf, summaryOf } from './jsonTree.ts'
import { Text } from './Text.tsx'

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
