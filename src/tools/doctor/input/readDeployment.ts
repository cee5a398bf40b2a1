import { basename } from 'node:path'
import type { Deployment } from '../deployment.ts'
import { deploymentOf, flatStacks } from './readTemplates.ts'
import { flattenPlan } from '../terraform/flattenPlan.ts'
import { asValues } from '../template/resolve.ts'
import { readPath, type ReadFile, sourceOf } from './readFiles.ts'

export interface InputOptions {
  readonly tableName: string
  /** Values of the parameters of CloudFormation templates. */
  readonly parameters: Readonly<Record<string, string>>
}

export interface Input {
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
  const read = await Promise.all(
    paths.map((path) =>
      readPath(path).catch((error: unknown) => {
        throw reading(path, error)
      }),
    ),
  )
  const files = named(read.flat())
  const templates = files.filter(({ kind }) => kind === 'cloudformation')
  const plans = files.filter(({ kind }) => kind === 'terraform')
  const sources = templates.map((each) => sourceOf(each, each.name, parameters))
  const flat = [
    ...(sources.length === 0 ? [] : [flatStacks(sources)]),
    ...plans.map(({ value, name }) => flattenPlan(value, name)),
  ]
  const declared = sources.flatMap(({ body }) =>
    Object.keys(asValues(asValues(body)['Parameters'])),
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
