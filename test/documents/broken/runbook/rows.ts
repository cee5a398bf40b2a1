import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../readme/documents.ts'

/** The lists of the runbook, by their headings. */
export const TABLES = {
  alarms: 'An alarm goes off',
  states: 'The state of a request',
  reasons: 'Why a message was dead-lettered',
} as const
export type TableName = keyof typeof TABLES

export interface Row {
  /** Unique in its list: its bold words, and what tells its further cases apart. */
  readonly name: string
  /** Commands to type, as they are written, without `lineclear`. */
  readonly commands: readonly string[]
}

/** All items of a list. One of several cases has a line of its own for each, indented. */
export function rowsOf(table: TableName): readonly Row[] {
  const runbook = readFileSync(join(ROOT, 'src/tools/README.md'), 'utf8')
  const [, section = ''] = runbook.split(`\n## ${TABLES[table]}\n`)
  const [own = ''] = section.split('\n## ')
  return own
    .split('\n- **')
    .slice(1)
    .flatMap((item): Row[] => {
      const [head = '', ...cases] = item.split('\n  - ')
      const [name = ''] = head.split('**: ')
      // One case for each reason of a row; all begin with the command that introduces the list.
      if (table === 'reasons') {
        return spansIn(name).map((each) => ({ name: each, commands: commandsIn(own).slice(0, 1) }))
      }
      if (cases.length === 0) return [rowOf(name, head)]
      return cases.map((each, at) => {
        const [when = ''] = each.split(' → ')
        return rowOf(at === 0 ? name : `${name}, ${when}`, each)
      })
    })
}

/** @param text after the arrow stands what to type */
function rowOf(name: string, text: string): Row {
  return { name: plain(name), commands: commandsIn(text.split(' → ').slice(1).join(' ')) }
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
