// @acts

import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type SourceTemplate, templateStack, withNested } from '../template/stack.ts'
import { asValues, textOfValue, type Values } from '../template/resolve.ts'
import { fileKind, type FileKind, parseText } from './parseText.ts'
import { openReading, type Reading } from './reading.ts'
import type { Deployment } from '../deployment.ts'
import { deploymentOf, type Flat, flatten } from '../template/deploymentOf.ts'
import { unreadStacks } from '../template/readUnread.ts'
import { expandSam } from '../sam/expandSam.ts'
import { flattenPlan } from '../terraform/flattenPlan.ts'

/** A file that was read, and what it is. */
interface ReadFile extends SourceTemplate {
  readonly file: string
  readonly kind: FileKind
}

/** What is below a path: one file, or the templates of a folder that the CDK, osls or SAM has made. */
async function readPath(reading: Reading, path: string): Promise<readonly ReadFile[]> {
  const found = await stat(path)
  if (!found.isDirectory()) return [await readOne({ reading, below: dirname(path) }, path)]
  const files = await templatesOf(reading, path)
  if (files.length === 0) throw new Error(`the folder has no ${WANTED.join(', ')}`)
  return Promise.all(
    files.map(({ file, region }) => readOne({ reading, below: path, region }, file)),
  )
}

interface From {
  readonly reading: Reading
  /** The folder of the path that the user has named. */
  readonly below: string
  readonly region?: string | undefined
}

async function readOne(from: From, file: string, seen: readonly string[] = []): Promise<ReadFile> {
  const { reading, below, region } = from
  const value = parseText(await reading.text(file, seen.length === 0 ? undefined : below))
  const kind = fileKind(value)
  const path = resolve(file)
  return {
    file,
    kind,
    value,
    nested: kind === 'cloudformation' ? await readNested(from, path, value, [...seen, path]) : {},
    ...(region === undefined ? {} : { region }),
  }
}

/** A nested stack's template that is on this disk: the CDK notes its path, SAM's source names it. */
async function readNested(
  from: From,
  path: string,
  value: unknown,
  seen: readonly string[],
): Promise<Readonly<Record<string, ReadFile>>> {
  const found = Object.entries(asValues(asValues(value)['Resources'])).flatMap(([id, each]) => {
    const named = nestedFile(asValues(each))
    const file = named && resolve(dirname(path), named)
    return file === undefined || seen.includes(file) ? [] : [[id, file] as const]
  })
  const read = found.map(async ([id, file]) =>
    readOne(from, file, seen).then(
      (each) => [[id, each] as const],
      () => [],
    ),
  )
  return Object.fromEntries((await Promise.all(read)).flat())
}

function nestedFile({ Type, Metadata, Properties }: Values): string | undefined {
  if (!/^AWS::(CloudFormation::Stack|Serverless::Application)$/.test(textOfValue(Type)))
    return undefined
  const asset = asValues(Metadata)['aws:asset:path']
  const { TemplateURL, Location } = asValues(Properties)
  const [path] = [asset, TemplateURL, Location].filter((each) => typeof each === 'string')
  return path === undefined || /^[a-z0-9]+:/i.test(path) ? undefined : path
}

type Listed = Pick<ReadFile, 'file' | 'region'>

const WANTED = [
  'manifest.json (cdk synth)',
  'cloudformation-template-update-stack.json (osls package)',
  'template.yaml (sam build)',
]

async function templatesOf(reading: Reading, folder: string): Promise<readonly Listed[]> {
  const names = await readdir(folder)
  if (names.includes('manifest.json')) return ofAssembly(reading, folder)
  const own = names.filter((name) =>
    /^(cloudformation-template-update-stack\.json|template\.ya?ml|template\.json)$/.test(name),
  )
  return own.map((name) => ({ file: join(folder, name) }))
}

/** The stacks of a cloud assembly, and of the stages in it. */
async function ofAssembly(reading: Reading, folder: string): Promise<readonly Listed[]> {
  const text = await reading.text(join(folder, 'manifest.json'))
  const artifacts = Object.values(asValues(asValues(JSON.parse(text))['artifacts'])).map(asValues)
  const lists = artifacts.map(async ({ type, properties, environment }) => {
    const { templateFile, directoryName } = asValues(properties)
    if (type === 'cdk:cloud-assembly') {
      const name = basename(textOfValue(directoryName))
      return /^\.{0,2}$/.test(name) ? [] : ofAssembly(reading, join(folder, name))
    }
    if (type !== 'aws:cloudformation:stack') return []
    const [, region] = /^aws:\/\/[^/]*\/([a-z]+-[a-z0-9-]+)$/.exec(textOfValue(environment)) ?? []
    const file = join(folder, basename(textOfValue(templateFile)))
    return [{ file, ...(region === undefined || region.startsWith('unknown') ? {} : { region }) }]
  })
  return (await Promise.all(lists)).flat()
}

interface InputOptions {
  readonly tableName: string
  /** Values of the parameters of CloudFormation templates. */
  readonly parameters: Readonly<Record<string, string>>
}

interface Input {
  readonly deployment: Deployment
  /** Names of the parameters that the templates declare, which can be given a value. */
  readonly declared: readonly string[]
}

/** A file and the text that its ids begin with; '' for the only one. */
interface NamedFile extends ReadFile {
  readonly name: string
}

/** Reads all paths as one deployment. @throws Error what `reading` makes of the failure of a path */
export async function readDeployment(
  paths: readonly string[],
  { tableName, parameters }: InputOptions,
  reading: (path: string, error: unknown) => Error,
): Promise<Input> {
  const budget = openReading()
  const read = await Promise.all(
    paths.map((path) =>
      readPath(budget, path).catch((error: unknown) => {
        throw reading(path, error)
      }),
    ),
  )
  const files = named(read.flat())
  const templates = files.filter(({ kind }) => kind === 'cloudformation')
  const plans = files.filter(({ kind }) => kind === 'terraform')
  const flat = [
    ...(templates.length === 0 ? [] : [flatStacks(templates, parameters)]),
    ...plans.map(({ value, name }) => flattenPlan(value, name)),
  ]
  const declared = templates.flatMap(({ value }) =>
    Object.keys(asValues(asValues(value)['Parameters'])),
  )
  return {
    deployment: deploymentOf(flat, { tableName }),
    declared: [...new Set(declared)].toSorted(),
  }
}

/** The name of a stack is that of its file, with a number where two are the same. */
function named(files: readonly ReadFile[]): NamedFile[] {
  const names = files.map(({ file }) => basename(file).replace(/(\.template)?\.\w+$/, ''))
  return files.map((each, at) => {
    const name = names[at] ?? ''
    const before = names.slice(0, at).filter((other) => other === name).length
    return { ...each, name: files.length === 1 ? '' : before === 0 ? name : `${name}${before + 1}` }
  })
}

/**
 * CloudFormation templates that are deployed together: as they are written, with SAM, or as `osls package`, `cdk synth` and
 * `sam build` make them. Functions of CloudFormation are computed from parameters, conditions and mappings, across nested stacks
 * and exports; what is in none of these templates stays text.
 */
export function flatStacks(
  sources: readonly (SourceTemplate & { readonly name: string })[],
  parameters: Values = {},
): Flat {
  const stacks = sources.flatMap((source) =>
    withNested(templateStack(source, source.name, parameters, expandSam)),
  )
  const flat = flatten(stacks)
  return { ...flat, unread: [...flat.unread, ...unreadStacks(stacks)] }
}
