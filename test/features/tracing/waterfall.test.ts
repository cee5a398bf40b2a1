import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { run } from '../../../examples/tracing/run.ts'

/** What a run decides is left out: when its spans began and how long they took. */
function withoutTimes(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replaceAll('█', '').trimEnd())
}

it('the picture in the README is what the example prints', async () => {
  const readme = readFileSync('src/library/features/tracing/README.md', 'utf8')
  const [, picture = ''] = /```text\n(POST \/trips[^`]*)\n```/.exec(readme) ?? []
  const { lines, spans } = await run(1, () => {})
  expect(withoutTimes(lines)).toEqual(withoutTimes(picture.split('\n')))
  const batches = 4
  expect(spans).toBe(lines.length + batches)
})
