import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entryFiles } from '../../documents/docComments/publicDocs.ts'
import { readSource } from '../../structure/readSource.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CONSOLE = resolve(ROOT, 'src/tools/console')

/** All that a file loads, types left out: they are gone in JavaScript. */
function loadedBy(file: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const { from, isType } of readSource(readFileSync(file, 'utf8'), file).imports) {
    if (!isType && from.startsWith('.')) loadedBy(join(dirname(file), from), seen)
  }
  return seen
}

describe('the console', () => {
  it.each(Object.entries(entryFiles()))('is not loaded by the entry %s', (_, file) => {
    const loaded = [...loadedBy(file)]
    expect(loaded.length).toBeGreaterThan(0)
    expect(loaded.filter((each) => each.startsWith(`${CONSOLE}/`))).toEqual([])
  })

  it('is loaded by the command line, so this test sees it', () => {
    const loaded = loadedBy(join(ROOT, 'src/tools/cli/main.ts'))
    expect([...loaded]).toContain(join(CONSOLE, 'serve.ts'))
  })

  it('loads no package: its server needs Node.js alone', () => {
    const files = readdirSync(CONSOLE).filter((each) => each.endsWith('.ts'))
    const packages = files.flatMap((file) =>
      readSource(readFileSync(join(CONSOLE, file), 'utf8'), file)
        .imports.filter(({ from, isType }) => !isType && !/^(?:\.|node:)/.test(from))
        .map(({ from }) => `${file} ${from}`),
    )
    // For developers: the package has the bundled page.
    expect(packages).toEqual(['bundle.ts esbuild'])
  })
})
