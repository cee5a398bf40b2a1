import { ROOT } from '../readme/documents.ts'
import type { Answer } from './doTasks.ts'
import { TASKS } from './tasks.ts'

const WIDTH = 150
const FIXED: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-31T03:00:00.000Z'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-(?!0000)[0-9a-f]{12}/g, '5d1f3a9c-…'],
  [/\b(--apply|restore|resume|plan) [0-9a-f]{8}\b/g, '$1 7f3a91c2'],
  // A minute may end between two of them.
  [/\d{4}-\d\d-\d\dT\d\d:\d\dZ/g, '2026-01-31T03:00Z'],
  [/http:\/\/(127\.0\.0\.1|[\w.-]*localhost):\d+/g, 'http://localhost'],
  [/fence \d{13}/g, 'fence 1769828400000'],
  [/file:\/\/\/\S*?\/(examples|src)\//g, 'file:///shop/$1/'],
  [/^[\w-]{43}$/gm, 'ZPWBur7mV3uNMmS_795_T6RblcJKuCLwY7IF3Ofj2mo'],
  [/received( +)\d+/g, 'received$11'],
  [/ttl: \d{10}/g, 'ttl: 1769828400'],
  [/digest \S+\)/g, 'digest …)'],
  [/\d+ of \d+ log lines/g, '7 of 100 log lines'],
]

/** Lines whose numbers are of the moment. */
const MOVING =
  /^(.*uploads.*|.* Enabled|.* not said .*|acme .*|\d+ (of more )?dead letters looked at.*)$/gm

/** What a terminal shows, with the same times, ids and paths in every run. */
export function shown(text: string): string {
  const fixed = FIXED.reduce((all, [found, by]) => all.replaceAll(found, by), text)
  return fixed
    .replaceAll(ROOT, '.')
    .split('\n')
    .map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line))
    .join('\n')
    .trimEnd()
}

/** What two runs must have in common: not the ages, the order of what happens side by side, and the widths of columns. */
export function essence(text: string): string {
  return (
    shown(text)
      .replaceAll(/(less than )?\b\d+ (s|min|hours?|days?)( \d+ (s|min|hours?))?\b/g, 'AGE')
      .replaceAll(/(\/src\/\S+?):\d+:\d+/g, '$1')
      .replaceAll(/order-2[1-6]|parcel-5[12]/g, 'ONE')
      .replaceAll(/\b[0-9a-f]{8}\b/g, 'PLAN')
      .replaceAll(/request [0-9a-f]{12}/g, 'request ID')
      .replaceAll(/\d+ looked at/g, 'N looked at')
      .replaceAll(/(baskets|bills|offers)-\d+/g, 'ONE')
      .replaceAll(/(scans\/scan-\d) +\d/g, '$1 N')
      // What is on its way, how far a backlog has grown, and whether it did while it was looked at.
      .replaceAll(MOVING, (line) =>
        line
          .replace(/\w{26}$/, 'ID')
          .replace('; there are more', '')
          .replace(' of more ', ' ')
          .replace(': the counts are of these', '')
          .replaceAll(/\d+/g, 'N'),
      )
      .split('\n')
      // A command stops as soon as it has all that it looks for, in whatever order they are received.
      .filter((line) => !line.endsWith('not selected'))
      // Whether Lambda has just had a batch of them decides whether the doctor is named.
      .filter((line) => !line.endsWith('doctor --queue uploads'))
      .map((line) => line.replaceAll(/\s+/g, ' ').replace(/^(.{60}).*$/, '$1'))
      .toSorted()
      .join('\n')
  )
}

/** The tasks with their commands, and what some of them have printed. */
export function transcriptOf(answers: readonly (readonly Answer[])[]): string {
  const list = TASKS.map(({ name, question, commands }, at) => {
    const typed = commands.map((each) =>
      each.includes('--apply PLAN')
        ? '`--apply PLAN`'
        : `\`lineclear ${each.replace('TEMPLATE', 'examples/broken/template.yml')}\``,
    )
    return `${at + 1}. **${name}**: ${question} → ${typed.join(', ')}\n`
  })
  const quotes = TASKS.flatMap(({ name, quoted }, at) => {
    const typed = (answers[at] ?? []).map(
      ({ command, text }) => `$ lineclear ${shown(command)}\n${shown(text)}\n`,
    )
    return quoted === true
      ? [`### ${at + 1}: ${name}\n\n\`\`\`text\n${typed.join('\n')}\`\`\`\n`]
      : []
  })
  return [list.join(''), ...quotes].join('\n')
}
