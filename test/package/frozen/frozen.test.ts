import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDeclarations } from './declarations.ts'
import { type Frozen, mistakeIn, update } from './frozen.ts'
import { changelog, formats } from './texts.ts'

it('stores and sends the fields that are checked in, or the changelog says what has changed', () => {
  expect(mistakeIn(changelog(), formats())).toBeUndefined()
})

describe('a text that changes', () => {
  const log = (version: string, lines: string): string =>
    `# Changelog\n\n## ${version}\n\n### API\n\n${lines}\n\n### Other\n\n- more\n\n## 0.1.0\n\n### API\n\n- old\n`
  const before = log('0.2.0', '- one')
  const text = (held: string, now: string): Frozen => ({
    what: 'It',
    section: 'API',
    held,
    text: now,
  })
  const held = update(before, text('', 'a()\n')) ?? ''

  it('is as it is checked in', () => {
    expect(mistakeIn(before, text(held, 'a()\n'))).toBeUndefined()
  })

  it('fails with one line that says what to do, and is not written, without an entry', () => {
    const changed = text(held, 'a(b)\n')
    expect(mistakeIn(before, changed)).toBe(
      "It changed: add a line under '### API' of the newest version in CHANGELOG.md, then npm run frozen -- --update",
    )
    expect(update(before, changed)).toBeUndefined()
  })

  it('is written with an entry, which counts once', () => {
    const after = log('0.2.0', '- one\n- two')
    const written = update(after, text(held, 'a(b)\n')) ?? ''
    expect(mistakeIn(after, text(written, 'a(b)\n'))).toBeUndefined()
    expect(update(after, text(written, 'a(b, c)\n'))).toBeUndefined()
  })

  it('fails where its entry changes alone', () => {
    const after = log('0.2.0', '- won')
    expect(mistakeIn(after, text(held, 'a()\n'))).toMatch(/^'API' of CHANGELOG.md has changed/)
    expect(update(after, text(held, 'a()\n'))).not.toBe(held)
  })

  it('is not written for a new version that has no entry', () => {
    const after = before.replace('## 0.2.0', '## 0.3.0\n\n- nothing of it\n\n## 0.2.0')
    expect(update(after, text(held, 'a(b)\n'))).toBeUndefined()
    expect(update(after, text(held, 'a()\n'))).toBeDefined()
  })
})

it('declarations are read without comments, with the names under which they are exported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lineclear-declared-'))
  const file = join(folder, 'one.d.cts')
  const lines = [
    'import { A as B } from "./shared.cjs";',
    '/** Said. */',
    'interface C {',
    '  /** Said. */',
    '  readonly c: "/* kept */"; // said',
    '}',
    'export declare function f(c: C): B;',
    'export declare function f(): void;',
    'export { type B as D, C };',
  ]
  await writeFile(file, lines.join('\n'))
  const read = readDeclarations(file)
  await rm(folder, { recursive: true })
  expect([...read.imported]).toEqual([['B', { from: './shared.cjs', name: 'A' }]])
  expect([...read.exported]).toEqual([
    ['f', { local: 'f', isType: false }],
    ['D', { local: 'B', isType: true }],
    ['C', { local: 'C', isType: false }],
  ])
  expect(read.declared).toEqual([
    { name: 'C', text: 'interface C {\n  readonly c: "/* kept */";\n}' },
    { name: 'f', text: 'function f(c: C): B;' },
    { name: 'f', text: 'function f(): void;' },
  ])
})
