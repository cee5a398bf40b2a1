import { expect, it } from 'vitest'
import { type Signs, styleOf } from '../../../src/tools/init/style.ts'

const read = (manifest: object | undefined, more: Partial<Signs> = {}) => {
  const text = manifest && JSON.stringify(manifest)
  return styleOf({ manifest: text, tsconfig: undefined, names: [], scripts: [], ...more })
}

it.each([
  [{ scripts: { test: 'jest' } }, 'require jest'],
  [{ type: 'module', scripts: { test: 'node --test' } }, 'import node --test'],
  [{ scripts: { test: 'node --import ./setup.js --test' } }, 'require node --test'],
  [{ scripts: { test: 'vitest run' }, devDependencies: { jest: '30' } }, 'import vitest'],
  [{ devDependencies: { jest: '30' } }, 'require jest'],
])('of %j: JavaScript, %s', (manifest, expected) => {
  const { language, modules, runner, ending, assumed } = read(manifest)
  expect([language, `${modules} ${runner}`, ending, assumed]).toEqual([
    'JavaScript',
    expected,
    '.js',
    [],
  ])
})

it('takes the syntax of the files of a project that compiles them', () => {
  const scripts = ["import { a } from './a'\n"]
  expect(read({ scripts: { test: 'jest' } }, { scripts })).toMatchObject({ modules: 'import' })
})

const ALLOWED = '{ "compilerOptions": { "allowImportingTsExtensions": true } }'
it.each([
  [{ scripts: { test: 'vitest' }, type: 'module' }, '{}', '.js'],
  [{ scripts: { test: 'vitest' } }, '{}', ''],
  [{ scripts: { test: 'vitest' } }, '{ "compilerOptions": { "module": "NodeNext" } }', '.js'],
  [{ scripts: { test: 'vitest' } }, '{ "compilerOptions": { "module": "node20" } }', '.js'],
  [{ scripts: { test: 'vitest' } }, '{ "extends": "@tsconfig/node22/tsconfig.json" }', '.js'],
  [{ scripts: { test: 'jest' } }, '{ "compilerOptions": { "module": "NodeNext" } }', ''],
  [{ scripts: { test: 'vitest' } }, ALLOWED, '.ts'],
  [{ scripts: { test: 'jest' } }, '{}', ''],
  [{ scripts: { test: 'node --test' } }, '{}', '.ts'],
])('of %j with tsconfig.json %s imports end in «%s»', (manifest, tsconfig, ending) => {
  expect(read(manifest, { tsconfig })).toMatchObject({ language: 'TypeScript', ending })
})

it.each([
  [{ devDependencies: { typescript: '6' } }, []],
  [{}, ['app.ts']],
  [undefined, ['app.ts']],
])('knows TypeScript by %j and files %j', (manifest, names) => {
  expect(read(manifest, { names })).toMatchObject({ language: 'TypeScript' })
})

it('types alone are no TypeScript', () => {
  expect(read({}, { names: ['globals.d.ts'] })).toMatchObject({ language: 'JavaScript' })
})

it('of nothing it says what was taken', () => {
  const { language, runner, assumed } = read(undefined)
  expect([language, runner]).toEqual(['TypeScript', 'node --test'])
  expect(assumed).toEqual([
    expect.stringContaining('in which language'),
    expect.stringContaining('no runner of tests'),
  ])
})

it('a manifest that cannot be read says nothing', () => {
  const signs = { tsconfig: undefined, names: ['a.js'], scripts: [] }
  expect(styleOf({ ...signs, manifest: '{' }).assumed).toEqual([
    expect.stringContaining('no runner of tests'),
  ])
  expect(styleOf({ ...signs, manifest: 'null' }).language).toBe('JavaScript')
})
