import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { type DeclarationFile, readDeclarations } from './declarations.ts'

export interface PublicNames {
  readonly values: readonly string[]
  readonly types: readonly string[]
}

export function publicNames(declarations: string): PublicNames {
  const exported = [...readDeclarations(declarations).exported]
  const named = (isType: boolean): readonly string[] =>
    exported
      .filter(([, one]) => one.isType === isType)
      .map(([name]) => name)
      .toSorted()
  return { values: named(false), types: named(true) }
}

/**
 * The names that each entry exports, then every declaration that they are made of, without comments. A declaration that a bundler moves to
 * another file changes nothing here.
 * @param types the folder of declarations that was built
 */
export function apiReport(types: string): string {
  const files = new Map(
    readdirSync(types)
      .filter((file) => file.endsWith('.d.cts'))
      .map((file) => [file, readDeclarations(join(types, file))]),
  )
  const entries = Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const at = target.require.types.replace('./dist/types/', '')
    return [`${manifest.name}${path.slice(1)}\n${namesOf(at, files).join('\n')}`]
  })
  const all = [...files.values()]
  const parts = [...entries, OTHERS, packagesOf(all).join('\n'), DECLARED, ...textsOf(all)]
  return `${parts.join('\n\n')}\n`
}

const OTHERS = '---- types of other packages'
const DECLARED = '---- declarations'

function namesOf(at: string, files: ReadonlyMap<string, DeclarationFile>): readonly string[] {
  const file = files.get(at)
  if (file === undefined) throw new Error(`${at} was not built`)
  const sorted = [...file.exported].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([name, { local, isType }]) => {
    const origin = originOf(local, file, files)
    const what = `${isType ? 'type ' : ''}${name}`
    return `  ${origin === name ? what : `${what} = ${origin}`}`
  })
}

/** The name in the file that declares it. */
function originOf(
  local: string,
  file: DeclarationFile,
  files: ReadonlyMap<string, DeclarationFile>,
): string {
  const imported = file.imported.get(local)
  if (imported === undefined) return local
  const beside = files.get(imported.from.replace(/^\.\/(.*)\.cjs$/, '$1.d.cts'))
  return beside?.exported.get(imported.name)?.local ?? `${imported.name} of ${imported.from}`
}

function packagesOf(files: readonly DeclarationFile[]): readonly string[] {
  const named = files
    .flatMap(({ imported }) => [...imported.values()])
    .filter(({ from }) => !from.startsWith('.'))
    .map(({ from, name }) => `  ${from}: ${name}`)
  return [...new Set(named)].toSorted()
}

/** By name; overloads stay in their order, which decides the one that a call gets. */
function textsOf(files: readonly DeclarationFile[]): readonly string[] {
  const declared = files.flatMap((file) => file.declared)
  const sorted = declared.toSorted((one, other) =>
    one.name < other.name ? -1 : Number(one.name > other.name),
  )
  return [...new Set(sorted.map(({ text }) => text))]
}
