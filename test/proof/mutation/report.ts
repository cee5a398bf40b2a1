import type { RoomReport } from './judge.ts'
import type { Mutant } from './mutant.ts'

export function complaintsOf({ room, unexplained, outdated }: RoomReport): string[] {
  return [
    ...unexplained.map((mutant) => `${room}: survives without an explanation: ${told(mutant)}`),
    ...outdated.map(
      ({ file, line, mutator, count }) =>
        `${room}: fewer than ${count} survive: ${file}:${line} (${mutator})\n`,
    ),
  ]
}

function told({ file, line, mutator, code, becomes }: Mutant): string {
  return `${file}:${line} (${mutator})\n  - ${code}\n  + ${becomes}\n`
}

const HEAD = ['room', 'mutants', 'killed', 'explained', 'unexplained']

export function tableOf(reports: readonly RoomReport[]): string {
  const rows = reports.map(({ room, mutants, killed, explained, unexplained }) => [
    room,
    ...[mutants, killed, explained, unexplained.length].map(String),
  ])
  const sums = HEAD.slice(1).map((_, column) =>
    String(rows.reduce((sum, row) => sum + Number(row[column + 1]), 0)),
  )
  const lines = [HEAD, ...rows, ['all', ...sums]]
  return lines
    .map(([name = '', ...figures]) =>
      [name.padEnd(10), ...figures.map((figure) => figure.padStart(12))].join(''),
    )
    .join('\n')
}
