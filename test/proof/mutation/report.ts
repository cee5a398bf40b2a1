import type { RoomReport } from './judge.ts'
import type { Mutant } from './mutant.ts'

export function complaintsOf({ room, unexplained, outdated }: RoomReport): string[] {
  return [
    ...unexplained.map((mutant) => complaint(`${room}: survives without an explanation`, mutant)),
    ...outdated.map((mutant) => complaint(`${room}: is explained but does not survive`, mutant)),
  ]
}

function complaint(what: string, { file, mutator, code, becomes }: Mutant): string {
  return `${what}: ${file} (${mutator})\n  - ${code}\n  + ${becomes}\n`
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
