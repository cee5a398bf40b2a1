import { type Addition, type Insert, OWN_FOLDER, type ProjectFile } from './project.ts'
import type { ProjectStyle } from './style.ts'
import type { Names } from './text.ts'

/** What is added, as the project writes its own code and tests. */
export function inStyle({ files, inserts }: Addition, style: ProjectStyle, names: Names): Addition {
  const asHere = (text: string, path: string): string => textIn(text, path, style)
  const written = files.map((file) => {
    const path = pathIn(file.path, style)
    return { ...file, path, text: withPaths(asHere(file.text, file.path), style, names) }
  })
  return {
    files: [...written, ...entries(files, style, names)],
    inserts: inserts.map(({ base, ...insert }): Insert => ({
      ...insert,
      path: pathIn(insert.path, style),
      text: withPaths(asHere(insert.text, insert.path), style, names),
      ...(base !== undefined && { base: withPaths(asHere(base, insert.path), style, names) }),
    })),
  }
}

/** Such as a sentence that names files. */
export function withPaths(text: string, style: ProjectStyle, { kebab }: Names): string {
  if (style.language === 'TypeScript') return text
  const folder = style.modules === 'require' ? OWN_FOLDER : 'src'
  return text
    .replaceAll(`${OWN_FOLDER}/app.ts`, `${OWN_FOLDER}/app.js`)
    .replaceAll(`src/${kebab}.ts`, `${folder}/${kebab}.js`)
    .replaceAll('src/sweeper.ts', `${folder}/sweeper.js`)
    .replaceAll(new RegExp(`\\bsrc/(?=(?:${kebab}|sweeper)\\.[a-z])`, 'g'), `${folder}/`)
}

function pathIn(path: string, { language, modules }: ProjectStyle): string {
  if (language === 'TypeScript') return path
  const plain = path.replace(/\.ts$/, '.js')
  return modules === 'require' ? plain.replace('src/sweeper.', `${OWN_FOLDER}/sweeper.`) : plain
}

/** Functions are bundled to ES modules, in which a CommonJS module has one export, `default`. */
function entries(
  files: readonly ProjectFile[],
  style: ProjectStyle,
  { kebab }: Names,
): ProjectFile[] {
  const code = files.find(({ path }) => path === `src/${kebab}.ts`)
  if (style.language === 'TypeScript' || style.modules === 'import' || !code) return []
  const exported = exportsOf(code.text, 'const')
  return [
    {
      path: `${OWN_FOLDER}/${kebab}.js`,
      what: 'what a bundler begins with: the function is an ES module',
      text: `export { ${exported.join(', ')} } from '../src/${kebab}.js'\n`,
    },
  ]
}

function textIn(text: string, path: string, style: ProjectStyle): string {
  const { language, modules, ending, runner } = style
  if (!path.endsWith('.ts')) {
    return runner === 'vitest' ? text : text.replaceAll('(vi.stubEnv)', '(in process.env)')
  }
  const tested = path.endsWith('.test.ts') ? testIn(text, style) : text
  const plain = language === 'JavaScript' ? withoutTypes(tested) : tested
  const linked = plain.replaceAll(/(?<=['"]\.\/.*)\.ts(?=['"])/g, ending)
  // It is for the bundler alone.
  const bundled = path === 'src/sweeper.ts'
  return language === 'JavaScript' && modules === 'require' && !bundled
    ? withRequire(linked)
    : linked
}

/** A test for vitest, for another runner. */
function testIn(text: string, { language, modules, runner }: ProjectStyle): string {
  if (runner === 'vitest') return text
  const free = text.replaceAll(/vi\.stubEnv\((.+?), (.+)\)/g, 'process.env[$1] = $2')
  // Where jest has no modules, `import()` fails in it.
  const loaded =
    runner === 'jest' && language === 'TypeScript' && modules === 'require'
      ? free.replaceAll(/await import\((.+)\)/g, 'require($1) as typeof import($1)')
      : free
  if (runner === 'jest') {
    return loaded.replace(
      /^import .* from 'vitest'$/m,
      "import { expect, it } from '@jest/globals'",
    )
  }
  return loaded
    .replace(
      /^import .* from 'vitest'$/m,
      "import assert from 'node:assert/strict'\nimport { it } from 'node:test'",
    )
    .replaceAll(/expect\((.+)\)\.toHaveLength\(/g, 'assert.equal($1.length, ')
    .replaceAll(/expect\((.+)\)\.toBe\(/g, 'assert.equal($1, ')
    .replaceAll(/expect\((.+)\)\.toEqual\(/g, 'assert.deepEqual($1, ')
}

/** JavaScript of an example, which has no other types than those that are taken out here. */
function withoutTypes(text: string): string {
  const own = [...text.matchAll(/^(?:type|interface) (\w+)/gm)].map(([, name]) => name)
  const taken = [...text.matchAll(/^import type \{ (.+) \}|\btype (\w+)(?=[, ])/gm)].flatMap(
    ([, all, one]) => all?.split(', ') ?? [one],
  )
  const names = ['string', 'number', 'void', ...own, ...taken].join('|')
  return text
    .replaceAll(/^import type .*\n/gm, '')
    .replaceAll(/, type \w+(?= \})/g, '')
    .replaceAll(/(?<=\{ )type \w+, /g, '')
    .replaceAll(/^(?:\/\*\*.*\*\/\n)?type \w+ =[^]*?\n\n/gm, '')
    .replaceAll(/^interface \w+ \{\n[^]*?^\}\n\n/gm, '')
    .replaceAll(
      new RegExp(`(?<=[\\w})]): (?:Promise<)?(?:${names})>?(?:\\[\\])?(?=[,)]| =|\\)? \\{)`, 'g'),
      '',
    )
}

function exportsOf(text: string, kind = 'const|function'): readonly string[] {
  const each = new RegExp(`^export (?:${kind}) (?:\\{ ([^}]+) \\}|(\\w+))`, 'gm')
  return [...text.matchAll(each)].flatMap(([, several, one]) => several?.split(', ') ?? [one ?? ''])
}

function withRequire(text: string): string {
  const exported = exportsOf(text)
  const required = text
    .replaceAll(/^import (.+) from (.+)$/gm, 'const $1 = require($2)')
    .replaceAll(/await import\((.+)\)/g, 'require($1)')
    .replaceAll(/^export (?=const|function)/gm, '')
  return exported.length === 0
    ? required
    : `${required}\nmodule.exports = { ${exported.join(', ')} }\n`
}
