import type { Fix } from '../fix.ts'
import { asList, asValues, own, type Values } from '../template/values.ts'
import { cloudFormation } from './cloudFormation.ts'
import { type HclBlock, hclLines } from './hclText.ts'
import { type FixFile, locate, type Located } from './locate.ts'
import { terraform } from './terraform.ts'
import { yamlLines } from './yamlText.ts'

/** What is to be added to one file. */
export interface FixSection {
  readonly file: string
  /** The nested stack or module; '' for the file's own resources. */
  readonly within: string
  readonly language: 'yaml' | 'json' | 'hcl'
  readonly lines: readonly string[]
}

/**
 * The lines that remove findings, by file. They are a part of the template: objects are to be merged, and lists to be joined, with
 * what is there.
 */
export function writeFixes(
  fixes: readonly Fix[],
  files: readonly (FixFile & { readonly name: string })[],
): FixSection[] {
  const distinct = [...new Map(fixes.map((fix) => [JSON.stringify(fix), fix])).values()]
  const placed = distinct.flatMap((fix) => {
    // What is added stands beside what it is for.
    const located = locate(anchorOf(fix, distinct), files)
    return located === undefined ? [] : [{ fix, located }]
  })
  const byPlace = Map.groupBy(placed, ({ located }) => `${located.prefix} ${located.file.file}`)
  return [...byPlace.values()].flatMap((of) => {
    const located = of[0]?.located
    return located === undefined
      ? []
      : [
          section(
            located,
            of.map(({ fix }) => fix),
          ),
        ]
  })
}

/** A new resource has no place of its own: it goes where the resource that needs it is. */
function anchorOf(fix: Fix, all: readonly Fix[]): string {
  if ('change' in fix || (fix.add !== 'queue' && fix.add !== 'queue policy')) return fix.id
  const user = all.find(
    (each) =>
      'change' in each &&
      (each.change === 'queue' || each.change === 'subscription') &&
      deadLettersOf(each) === fix.id,
  )
  return user?.id ?? fix.id
}

function deadLettersOf(
  fix: Extract<Fix, { change: 'queue' | 'subscription' }>,
): string | undefined {
  const { deadLetter } = fix.to
  return typeof deadLetter === 'string' ? deadLetter : deadLetter?.queue
}

function section({ file, prefix }: Located, fixes: readonly Fix[]): FixSection {
  if (file.kind === 'terraform') return hclSection(file, prefix, fixes)
  const resources = asValues(asValues(file.value)['Resources'])
  const added = addedBy(fixes)
  const within = file.kind === 'cloudformation' ? prefix.replace(/\.$/, '') : ''
  const local = (id: string): string | undefined => {
    if (added.has(id)) return id
    const name = id.startsWith(prefix) ? id.slice(prefix.length) : undefined
    return name === undefined || name.includes(':') || name.includes('${') ? undefined : name
  }
  const merged = fixes
    .map((fix) => cloudFormation(fix, { resources, local }))
    .reduce<Values>((all, each) => merge(all, each), {})
  if (file.json) {
    const lines = JSON.stringify({ Resources: merged }, null, 2).split('\n')
    return { file: file.file, within, language: 'json', lines }
  }
  const lines = yamlLines({ Resources: merged }).map((line) => {
    const [, name] = /^ {2}(\w+):$/.exec(line) ?? []
    const at = name === undefined ? undefined : file.lineOf(['Resources', name])
    return at === undefined ? line : `${line} # line ${at}`
  })
  return { file: file.file, within, language: 'yaml', lines }
}

function addedBy(fixes: readonly Fix[]): ReadonlySet<string> {
  return new Set(fixes.flatMap((fix) => ('add' in fix && fix.add === 'queue' ? [fix.id] : [])))
}

function merge(a: Values, b: Values): Values {
  const merged: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const before = own(merged, key)
    if (Array.isArray(before)) merged[key] = distinctOf([...asList(before), ...asList(value)])
    else if (isObject(before) && isObject(value)) merged[key] = merge(before, value)
    else merged[key] = value
  }
  return merged
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function distinctOf(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((each) => [JSON.stringify(each), each])).values()]
}

function hclSection(file: FixFile, prefix: string, fixes: readonly Fix[]): FixSection {
  const added = addedBy(fixes)
  const isHere = (id: string): boolean => id.startsWith('aws_') || added.has(id)
  const blocks = new Map<string, HclBlock>()
  for (const fix of fixes) {
    for (const block of terraform(withoutPrefix(fix, prefix), isHere)) {
      const key = `${block.type} ${block.name}`
      const before = blocks.get(key)
      blocks.set(key, before === undefined ? block : joined(before, block))
    }
  }
  const lines = [...blocks.values()].flatMap((block) => [...hclLines(block), ''])
  return {
    file: file.file,
    within: prefix.replace(/\.$/, ''),
    language: 'hcl',
    lines: lines.slice(0, -1),
  }
}

function joined(a: HclBlock, b: HclBlock): HclBlock {
  const given = Object.entries(b.arguments).filter(([, value]) => value !== undefined)
  return {
    ...a,
    arguments: { ...a.arguments, ...Object.fromEntries(given) },
    blocks: [...(a.blocks ?? []), ...(b.blocks ?? [])],
  }
}

/** Addresses in the configuration do not begin with the file's name. */
function withoutPrefix(fix: Fix, prefix: string): Fix {
  if (prefix === '') return fix
  return JSON.parse(JSON.stringify(fix).replaceAll(JSON.stringify(prefix).slice(1, -1), '')) as Fix
}
