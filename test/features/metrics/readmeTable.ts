import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../documents/readme/documents.ts'

export const README: string = readFileSync(join(ROOT, 'src/tools/README.md'), 'utf8')

/** A metric under one set of dimensions, as the table of the runbook has it. */
export interface ListedMetric {
  /** The names of its dimensions. */
  readonly by: string
  readonly name: string
  readonly unit: string
  /** The alarms that tell of it, as the runbook names them; none if it is no fault by itself. */
  readonly alarms: readonly string[]
}

export function listedMetrics(): ListedMetric[] {
  const [, section = ''] = README.split('\n## Metrics and the log\n')
  const [own = ''] = section.split('\n## ')
  const rows = own.split('\n').filter((line) => line.startsWith('| '))
  const metrics: ListedMetric[] = []
  let dimensions: string[] = []
  for (const row of rows.slice(2)) {
    const cells = row.split('|').map((cell) => cell.trim())
    const [, reporter = '', by = '', names = '', unit = '', , alarms = ''] = cells
    if (reporter !== '') dimensions = by.split(', or ').map((set) => quoted(set).join())
    for (const set of dimensions) {
      const each = quoted(names).map((name) => ({ by: set, name, unit, alarms: quoted(alarms) }))
      metrics.push(...each)
    }
  }
  return metrics
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
}
