import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../documents/readme/documents.ts'

const README = readFileSync(join(ROOT, 'src/tools/README.md'), 'utf8')

/** A metric under one set of dimensions, as the list of the runbook has it. */
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
  const reporters = own.split('\n**').filter((part) => part.includes('\n\n- `'))
  return reporters.flatMap((part) => {
    const [head = '', ...items] = part.split('\n- ')
    const [, by = ''] = head.split('**')
    const dimensions = by.split(', or ').map((set) => quoted(set).join())
    return dimensions.flatMap((set) => items.flatMap((item) => metricsOf(set, item)))
  })
}

/** @param item `name`, `other` (milliseconds): what they mean → `TheirAlarm` */
function metricsOf(by: string, item: string): ListedMetric[] {
  const [own = ''] = item.split('\n\n')
  const [names = '', ...rest] = own.split(':')
  const [, alarms = ''] = rest.join(':').split(' → ')
  const unit = names.includes('(milliseconds)') ? 'Milliseconds' : 'Count'
  return quoted(names).map((name) => ({ by, name, unit, alarms: quoted(alarms) }))
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
}
