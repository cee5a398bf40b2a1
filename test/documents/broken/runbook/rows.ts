import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../readme/documents.ts'

/** The tables of the runbook, by their headings. */
export const TABLES = {
  alarms: 'An alarm goes off',
  states: 'The state of a request',
  reasons: 'Why a message was dead-lettered',
} as const
export type TableName = keyof typeof TABLES

export interface Row {
  /** Unique in its table: the first cell, and what tells a row without one from the row above. */
  readonly name: string
  /** Commands to type, as they are written, without `lineclear`. */
  readonly commands: readonly string[]
}

/** All rows of a table. */
export function rowsOf(table: TableName): readonly Row[] {
  const runbook = readFileSync(join(ROOT, 'src/tools/README.md'), 'utf8')
  const [, section = ''] = runbook.split(`\n## ${TABLES[table]}\n`)
  const [own = ''] = section.split('\n## ')
  const cells = own
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .slice(2)
  let above = ''
  return cells.flatMap(([, first = '', means = '', type = '', expect = '']) => {
    above = first === '' ? above : first
    const without = means === '' ? (type.split(': ')[0] ?? '') : means
    const commands = commandsIn(`${type} ${expect}`)
    // One case for each reason of a row; all begin with the command that introduces the table.
    if (table === 'reasons') {
      return spansIn(first).map((name) => ({ name, commands: commandsIn(own).slice(0, 1) }))
    }
    return [{ name: plain(first === '' ? `${above}, ${without}` : first), commands }]
  })
}

function commandsIn(text: string): readonly string[] {
  return spansIn(text)
    .filter((span) => span.startsWith('lineclear '))
    .map((span) => span.slice('lineclear '.length))
}

function spansIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)
}

function plain(text: string): string {
  return text.replaceAll(/[`*]/g, '')
}
