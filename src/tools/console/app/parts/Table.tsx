import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { drawnRows, MOST_ROWS, moved } from './window.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** `main` takes the room that is left; `number` stands at the right. */
  readonly as?: 'main' | 'number'
  /** The first that goes where there is no room: `wide` below 60rem, `middle` below 40rem. Default: it stays. */
  readonly from?: 'wide' | 'middle'
}

/** Rows that are not all in memory. */
export interface Rows<Row> {
  readonly count: number
  /** undefined: it is not in memory now. */
  at(index: number): Row | undefined
  /** Called with the rows that are drawn. */
  need?(first: number, end: number): void
}

/** What is chosen, by the keys of the rows. */
interface Selection {
  has(key: string): boolean
  toggle(key: string): void
}

interface TableProps<Row> {
  /** What the rows are. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[] | Rows<Row>
  readonly keyOf: (row: Row) => string
  /** What Enter and a click do. Give the main cell a link to the same. */
  readonly open?: (row: Row) => void
  /** With a box before each row; the space bar and x toggle it. */
  readonly selection?: Selection
}

/** Pixels; the style sheet has the same (`--row`). */
const ROW = 32

/**
 * Rows of one height, of which at most 60 are in the document. Arrows or j and k move, Enter opens. A long table scrolls by itself;
 * a short one is as high as its rows.
 */
export function Table<Row>({ label, columns, rows, keyOf, open, selection }: TableProps<Row>) {
  const list = isList(rows) ? listed(rows) : rows
  const box = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState({ top: 0, height: 0 })
  const [active, setActive] = useState(0)
  const moves = useRef(false)
  const { first, end } = drawnRows(list.count, { ...scroll, row: ROW })
  const current = Math.min(active, Math.max(0, list.count - 1))

  useEffect(() => list.need?.(first, end))
  useEffect(() => {
    const { current: element } = box
    if (element === null) return undefined
    const measure = (): void => setScroll({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    // A row that is far away is drawn only after the list has scrolled to it.
    const row = moves.current
      ? box.current?.querySelector<HTMLElement>(`tr[aria-rowindex="${current + 2}"]`)
      : undefined
    if (row === undefined || row === null) return
    moves.current = false
    row.focus()
  })

  const move = (event: KeyboardEvent): void => {
    if (
      event.target instanceof HTMLInputElement &&
      event.key !== 'ArrowDown' &&
      event.key !== 'ArrowUp'
    )
      return
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const page = Math.max(1, Math.floor(scroll.height / ROW) - 2)
    const to = moved(event.key, current, { count: list.count, page })
    const row = list.at(current)
    if (to !== undefined) {
      event.preventDefault()
      show(to)
    } else if (event.target instanceof HTMLTableRowElement && row !== undefined) {
      if (event.key === 'Enter' && open !== undefined) open(row)
      else if ((event.key === ' ' || event.key === 'x') && selection !== undefined) {
        event.preventDefault()
        selection.toggle(keyOf(row))
      }
    }
  }
  const show = (index: number): void => {
    moves.current = true
    setActive(index)
    const { current: element } = box
    if (element === null || list.count <= MOST_ROWS) return
    const top = index * ROW
    if (top < element.scrollTop) element.scrollTop = top
    const bottom = top + 2 * ROW - element.clientHeight
    if (bottom > element.scrollTop) element.scrollTop = bottom
  }

  return (
    <div
      class={list.count > MOST_ROWS ? 'table scrolls' : 'table'}
      ref={box}
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) =>
        setScroll({ top: scrollTop, height: clientHeight })
      }
      onKeyDown={move}
    >
      <table aria-label={label} aria-rowcount={list.count + 1}>
        <thead>
          <tr aria-rowindex={1}>
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
          <Gap rows={first} />
          {Array.from({ length: end - first }, (_, offset) => {
            const index = first + offset
            const row = list.at(index)
            if (row === undefined) {
              return (
                <tr
                  key={index}
                  class="missing"
                  aria-rowindex={index + 2}
                  tabIndex={index === current ? 0 : -1}
                >
                  <td colSpan={columns.length + (selection === undefined ? 0 : 1)}>…</td>
                </tr>
              )
            }
            const key = keyOf(row)
            return (
              <tr
                // By its place: the focus stays where a row is read again.
                key={index}
                aria-rowindex={index + 2}
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
                      checked={selection.has(key)}
                      onChange={() => selection.toggle(key)}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Gap rows={list.count - end} />
        </tbody>
      </table>
    </div>
  )
}

/** Stands for the rows that are not drawn. */
function Gap({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null
  return (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${rows * ROW}px` }} />
    </tr>
  )
}

function isList<Row>(rows: readonly Row[] | Rows<Row>): rows is readonly Row[] {
  return Array.isArray(rows)
}

function listed<Row>(rows: readonly Row[]): Rows<Row> {
  return { count: rows.length, at: (index) => rows[index] }
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
