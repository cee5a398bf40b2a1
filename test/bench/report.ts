import type { Judged } from './goals.ts'
import type { Results } from './results.ts'

type Cell = string | number
type Row = readonly Cell[]

/** The printed report. Ratios hold on other machines, milliseconds on this one only. */
export function report(results: Results, goals: readonly Judged[]): string {
  const tables = [
    table(
      'Counted, per record',
      ['batch', 'peer', 'requests', 'write units', 'read units', 'bytes'],
      results.counts.map((row) => [
        `${row.shape} ${row.size}`,
        row.peer,
        row.requests,
        row.writeUnits,
        row.readUnits,
        Math.round(row.bytes),
      ]),
    ),
    table(
      'CPU per record',
      ['batch', 'peer', 'µs', 'to raw'],
      results.cpu.map((row) => [
        `${row.shape} ${row.size}`,
        row.peer,
        Math.round(row.microseconds),
        row.ratio,
      ]),
    ),
    table(
      'Wall time per batch, 4 ms database',
      ['batch', 'peer', 'ms', 'to Powertools'],
      results.wall.map((row) => [row.size, row.peer, row.milliseconds, row.ratio]),
    ),
    table(
      'Slow handlers, 4 ms database',
      ['handlers', 'alone, ms', 'lineclear, ms', 'ratio'],
      results.slow.map((row) => [row.name, row.alone, row.milliseconds, row.ratio]),
    ),
    table(
      'Cold start above bare Node, first batch of 10, TLS',
      ['peer', 'ms', 'connections', 'to Powertools'],
      results.cold.map((row) => [row.peer, row.milliseconds, row.connections, row.ratio]),
    ),
    table(
      'Bundle without the SDK, one file',
      ['door', 'minified, KB', 'gzipped, KB'],
      results.size.map(({ door, single }) => [
        door,
        single.minified / 1_024,
        single.gzipped / 1_024,
      ]),
    ),
    table(
      'CPU per record, batch of 10,000 against 100',
      ['peer', '100, µs', '10,000, µs', 'ratio'],
      results.batchGrowth.map((row) => [row.peer, row.small, row.large, row.ratio]),
    ),
    table(
      'CPU above the handler, identity in the payload',
      ['peer', '1 KB, µs', '256 KB, µs', 'ratio'],
      results.payloadGrowth.map((row) => [row.peer, row.small, row.large, row.ratio]),
    ),
    table(
      'Memory of a batch of 10,000 above the event',
      ['peer', 'MB', 'to Powertools'],
      results.memory.map((row) => [row.peer, row.aboveEvent / 1_048_576, row.ratio]),
    ),
    table(
      'Goals',
      ['goal', 'asked', 'seen', ''],
      goals.map((row) => [row.name, row.goal, row.seen, row.verdict]),
    ),
  ]
  return tables.filter((each) => each !== '').join('\n\n')
}

function table(title: string, head: Row, rows: readonly Row[]): string {
  if (rows.length === 0) return ''
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

function show(cell: Cell): string {
  return typeof cell === 'number' ? String(Number(cell.toPrecision(3))) : cell
}
