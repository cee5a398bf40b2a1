import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../readme/documents.ts'

/** An item of the runbook: the names of its alarms, and what to type next. */
interface AlarmRow {
  readonly names: readonly string[]
  readonly next: string
}

export function alarmRows(): AlarmRow[] {
  const runbook = readFileSync(join(ROOT, 'src/tools/README.md'), 'utf8')
  const [, section = ''] = runbook.split('\n## An alarm goes off\n')
  const [own = ''] = section.split('\n## ')
  return own
    .split('\n- **')
    .slice(1)
    .map((item) => {
      const [names = '', after = ''] = item.split(' → ')
      const [next = ''] = after.split(/\.(?:\s|$)/)
      return {
        names: [...names.matchAll(/`([…\w]+Alarm)`/g)].map(([, name = '']) => name),
        next: /^`([^`]+)`/.exec(next)?.[1] ?? next,
      }
    })
}

/**
 * What the runbook says to type when an alarm goes off. `Orders…` stands for any consumer of a queue, `Payments…` for any other
 * function, and `…` for anything.
 */
export function nextOf(alarm: string, isConsumer: boolean): string | undefined {
  const own = isConsumer ? 'Orders' : 'Payments'
  const fits = alarmRows().flatMap(({ names, next }) =>
    names
      .filter((name) => name === alarm || alarm.endsWith(name.replace(own, '').replace('…', '')))
      .map((name) => ({ name, next })),
  )
  const [best] = fits.toSorted((one, other) => lengthOf(other, alarm) - lengthOf(one, alarm))
  return best?.next.replace(/--consumer \S+/, '--consumer orders')
}

/** An alarm's own name comes first, then the name that has the most in common with it. */
function lengthOf({ name }: { readonly name: string }, alarm: string): number {
  return name === alarm ? Infinity : name.replace(/^Orders|^Payments|…/, '').length
}
