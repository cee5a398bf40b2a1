import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { moved } from './moved.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** `main` takes the room that is left; `number` is aligned to the right. */
  readonly as?: 'main' | 'number'
  /** The first that goes where there is no room: `wide` below 60rem, `middle` below 40rem. Default: it stays. */
  readonly from?: 'wide' | 'middle'
}

interface Selection<Row> {
  has(row: Row): boolean
  toggle(row: Row): void
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** What Enter and a click do. Give the main cell a link to the same. */
  readonly open?: (row: Row) => void
  /** With a box before each row; the space bar and x toggle it. */
  readonly selection?: Selection<Row>
}

export const ROWS = 60

/** Arrows or j and k move from row to row, Enter opens. The first 60 rows are drawn, and more when a person asks. */
export function Table<Row>({ label, columns, rows, open, selection }: TableProps<Row>) {
  const [most, setMost] = useState(ROWS)
  const [active, setActive] = useState(0)
  const drawn = rows.slice(0, most)
  const current = Math.min(active, Math.max(0, drawn.length - 1))
  const press = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    const { key, target, currentTarget } = event
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const to = target instanceof HTMLInputElement ? undefined : moved(key, current, drawn.length)
    const row = drawn[current]
    if (to !== undefined) {
      event.preventDefault()
      currentTarget.querySelectorAll<HTMLElement>('tbody tr')[to]?.focus()
    } else if (target instanceof HTMLTableRowElement && row !== undefined) {
      if (key === 'Enter') open?.(row)
      else if ((key === ' ' || key === 'x') && selection !== undefined) {
        event.preventDefault()
        selection.toggle(row)
      }
    }
  }
  return (
    <div class="table" onKeyDown={press}>
      <table aria-label={label}>
        <thead>
          <tr>
            {selection !== undefined && (
              <th class="pick" scope="col">
                <span class="unseen">Chosen</span>
              </th>
            )}
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drawn.map((row, index) => (
            <tr
              // By its place: the focus stays where a row is read again.
              key={index}
              tabIndex={index === current ? 0 : -1}
              class={open === undefined ? undefined : 'opens'}
              onFocus={() => setActive(index)}
              onClick={(event) => {
                if (open !== undefined && isPlainClick(event)) open(row)
              }}
            >
              {selection !== undefined && (
                <td class="pick">
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={`Choose row ${index + 1}`}
                    checked={selection.has(row)}
                    onChange={() => selection.toggle(row)}
                  />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <button type="button" onClick={() => setMost(most + ROWS)}>
          Show more: {(rows.length - most).toLocaleString('en')} are left
        </button>
      )}
    </div>
  )
}

function classOf<Row>({ as, from }: Column<Row>): string {
  return [as ?? '', from === undefined ? '' : `from-${from}`].join(' ').trim()
}

/** Links and boxes do their own; a selection of text is no click. */
function isPlainClick(event: MouseEvent): boolean {
  const isControl =
    event.target instanceof Element && event.target.closest('a, button, input, label') !== null
  return !isControl && (getSelection()?.isCollapsed ?? true)
}
