import type { Cell, Table } from './measured.ts'

/** Columns by spaces, for a terminal. */
export function asText({ title, head, rows }: Table): string {
  const lines = [head, ...rows].map((row) => row.map(show))
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  const text = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [title, '-'.repeat(title.length), ...text].join('\n')
}

export function asMarkdown({ title, head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(show))]
  return [`**${title}**`, '', ...lines.map((line) => `| ${line.join(' | ')} |`)].join('\n')
}

/** Three digits: the fourth is noise. */
function show(cell: Cell): string {
  if (typeof cell === 'string') return cell
  return Math.abs(cell) >= 1_000 ? String(Math.round(cell)) : String(Number(cell.toPrecision(3)))
}
