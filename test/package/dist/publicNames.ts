import { readFileSync } from 'node:fs'

export interface PublicNames {
  readonly values: readonly string[]
  readonly types: readonly string[]
}

type Kind = 'value' | 'type'
type Found = readonly [kind: Kind, name: string]

const VALUE = /^export declare (?:abstract )?(?:class|const|let|function) (\w+)/gm
const TYPE = /^export (?:declare )?(?:interface|type) (\w+)/gm
const LIST = /^export (type )?\{([^}]*)\}/gm

/** Reads what `src/tools/package/declarations.ts` has written, whose form is fixed; the compiler offers no programming interface to ask. */
export function publicNames(declarations: string): PublicNames {
  const found = readNames(declarations)
  const of = (kind: Kind): readonly string[] =>
    [...new Set(found.filter(([is]) => is === kind).map(([, name]) => name))].toSorted()
  return { values: of('value'), types: of('type') }
}

function readNames(file: string): readonly Found[] {
  const text = readFileSync(file, 'utf8')
  return [
    ...matches(text, VALUE, 'value'),
    ...matches(text, TYPE, 'type'),
    ...[...text.matchAll(LIST)].flatMap(([, type, names = '']) => readList(type, names)),
  ]
}

function matches(text: string, pattern: RegExp, kind: Kind): readonly Found[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => [kind, name])
}

/** `a, type B, c as d`, where a leading `export type` makes all of them types. */
function readList(type: string | undefined, names: string): readonly Found[] {
  const items = names.split(',').map((item) => item.trim())
  return items.filter(Boolean).map((item): Found => {
    const name = item.split(/\s+/).at(-1) ?? item
    return [type !== undefined || item.startsWith('type ') ? 'type' : 'value', name]
  })
}
