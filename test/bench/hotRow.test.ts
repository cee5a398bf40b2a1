import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { asMarkdown } from './report.ts'
import { hotRow } from './measure/hotRow.ts'
import type { Bench } from './measured.ts'

it('the README has what the simulation of one row says', async () => {
  const readme = await readFile(new URL('README.md', import.meta.url), 'utf8')
  const { tables } = await hotRow.measure({} as Bench)
  const cells = (line: string): string => line.replaceAll(/ *\| */g, '|')
  const [, , ...lines] = tables.flatMap((table) => asMarkdown(table).split('\n'))
  expect(readme).toContain(lines.map(cells).join('\n'))
})
