import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { bundle } from '../../src/tools/console/bundle.ts'
import { OPTIONS } from '../../src/tools/package/sources.ts'
import { FOR_TOOLS, isAllowed, SHIPPED } from './licences.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8')

interface Locked {
  readonly license?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}
const { packages: locked } = JSON.parse(textOf('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>
}

/** The rows of the table in `src/README.md`. */
const rows = [...textOf('src/README.md').matchAll(/^\|`([^`]+)`\|([^|]+)\|([^|]+)\|([^|]+)\|$/gm)]
const table = rows.map(([, name = '', how = '', licence = '', why = '']) => {
  return { name, how, licence, why }
})
const named = (how: string): string[] =>
  table.filter((row) => row.how === how).map(({ name }) => name)

describe('each package that users get has its reason in src/README.md', () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = manifest
  const optional = Object.keys(peerDependenciesMeta)

  it('as a dependency, which needs no other package', () => {
    expect(named('dependency').toSorted()).toEqual(Object.keys(dependencies).toSorted())
    const own = Object.keys(dependencies).flatMap((name) =>
      Object.keys(locked[`node_modules/${name}`]?.dependencies ?? {}),
    )
    expect(own).toEqual([])
  })

  it('as a peer', () => {
    const peers = Object.keys(peerDependencies).filter((name) => !optional.includes(name))
    expect(named('peer').toSorted()).toEqual(peers.toSorted())
    expect(named('optional peer').toSorted()).toEqual(optional.toSorted())
  })

  it('as part of a bundle: only the page of the console has any', async () => {
    const licences = (await bundle()).get('licenses.txt') ?? ''
    const bundled = table.filter(({ how }) => how === "in the console's page")
    const heading = /^((?:@[\w-]+\/)?[\w-]+)\n\n/gm
    const found = [...licences.matchAll(heading)].map(([, name = '']) => name)
    const folders = found.filter((name) => `node_modules/${name}` in locked)
    expect(bundled.map(({ name }) => name).toSorted()).toEqual(folders.toSorted())
    expect(OPTIONS.packages).toBe('external')
  })

  it('in words, once', () => {
    expect(table.filter(({ why }) => why.trim().split(' ').length < 2)).toEqual([])
    expect(new Set(table.map(({ name }) => name)).size).toBe(table.length)
  })
})

describe('licences', () => {
  it.each(table.map(({ name, licence }) => [name, licence] as const))(
    '%s, which users get, is under %s',
    (name, licence) => {
      expect(locked[`node_modules/${name}`]?.license).toBe(licence)
      expect(isAllowed(licence, SHIPPED)).toBe(true)
    },
  )

  it('each other package of the lock file is under one that is allowed for tools', () => {
    const others = Object.entries(locked).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    )
    expect(others.length).toBeGreaterThan(500)
    const refused = others.filter(([, { license = '' }]) => !isAllowed(license, FOR_TOOLS))
    expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([])
  })

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-or-later)', true],
    ['MIT AND ISC', true],
    ['MIT AND GPL-3.0-only', false],
    ['MPL-2.0', false],
    ['GPL-3.0-or-later', false],
    ['UNLICENSED', false],
    ['SEE LICENSE IN LICENSE', false],
    ['', false],
  ])('%j may be shipped: %s', (expression, may) => {
    expect(isAllowed(expression, SHIPPED)).toBe(may)
  })
})
