import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { asMarkdown } from './report.ts'
import { hotKey } from './measure/hotKey.ts'
import { hotRow } from './measure/hotRow.ts'
import { limits } from './measure/limits.ts'
import type { Bench } from './measured.ts'

it.each([hotRow, hotKey, limits])('the README has what is computed: $title', async (part) => {
  const readme = await readFile(new URL('README.md', import.meta.url), 'utf8')
  const { tables } = await part.measure({} as Bench)
  const cells = (line: string): string => line.replaceAll(/ *\| */g, '|')
  const [, , ...lines] = tables.flatMap((table) => asMarkdown(table).split('\n'))
  expect(readme).toContain(lines.map(cells).join('\n'))
})
