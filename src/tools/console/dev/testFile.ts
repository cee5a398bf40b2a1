import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'

/**
 * A test for vitest that runs a session again.
 * @param dev the module name of FILE, from the test @example './dev.ts'
 * @param title of the test
 * @param verdict how it ended when it was saved, on one line
 */
export function testFile(dev: string, title: string, run: RecordedRun, verdict?: string): string {
  const note = verdict === undefined ? '' : `// When it was saved: ${verdict}\n`
  return `${note}import { replayRun } from 'lineclear/local'
import { expect, test } from 'vitest'
import dev from ${quoted(dev)}

test(${quoted(title)}, { timeout: 150_000 }, async () => {
  const { red } = await replayRun(dev, ${literal(run, '  ')})
  expect(red).toEqual([])
})
`
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

const WIDE = 96

/** Like JSON, in the style of code: short things on one line. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${nameOf(name)}: ${literal(each, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return `${open}${close}`
  const space = Array.isArray(value) ? '' : ' '
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  if (line.length + indent.length <= WIDE && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

/** A property of this name would set the prototype. */
function nameOf(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}
