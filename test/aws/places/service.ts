import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { consumers } from '../../../examples/deploy/consumers.ts'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'

interface Resource {
  readonly Type: string
  readonly Properties: Readonly<Record<string, unknown>>
}

interface Deployed {
  readonly handler: string
  readonly environment?: Readonly<Record<string, unknown>>
  readonly events?: readonly Record<string, unknown>[]
}

export interface FunctionOf {
  readonly name: string
  /** A file of this repository without its ending, and what it exports. */
  readonly file: string
  readonly exported: string
  readonly environment: Readonly<Record<string, unknown>>
  /** The logical name of the queue that it consumes. */
  readonly queue: string | undefined
  /** Such as `/payments`. */
  readonly path: string | undefined
}

export interface Service {
  readonly functions: readonly FunctionOf[]
  readonly resources: Readonly<Record<string, Resource>>
}

const ROOT = resolve(import.meta.dirname, '../../..')

/** What serverless.yml deploys, read from the sources that osls packages. */
export async function readService(): Promise<Service> {
  const service = read('serverless.yml') as {
    readonly custom: { readonly consumers: unknown }
    readonly functions: Readonly<Record<string, Deployed>>
    readonly resources: readonly unknown[]
  }
  const made = await consumers({
    resolveConfigurationProperty: () => Promise.resolve(service.custom.consumers),
  })
  const parts = service.resources.map((part) => resourcesIn(part))
  return {
    resources: Object.assign({}, made.Resources, ...parts) as Service['resources'],
    functions: Object.entries(service.functions).map(([name, one]) => functionOf(name, one)),
  }
}

function read(file: string): unknown {
  return parseText(readFileSync(join(ROOT, file), 'utf8'))
}

/** Resources that stand in the file, or in a YAML file that it names. */
function resourcesIn(part: unknown): unknown {
  const [, file] = typeof part === 'string' ? (/^\$\{file\((.*\.yml)\)\}$/.exec(part) ?? []) : []
  const { Resources = {} } = (file === undefined ? part : read(file)) as { Resources?: object }
  return Resources
}

function functionOf(
  name: string,
  { handler, environment = {}, events = [] }: Deployed,
): FunctionOf {
  const [, file = '', exported = ''] = /^(.*)\.(\w+)$/.exec(handler) ?? []
  const event = Object.assign({}, ...events) as {
    readonly sqs?: { readonly arn: unknown }
    readonly httpApi?: string | { readonly path: string }
  }
  const api = event.httpApi
  const path = typeof api === 'string' ? api.split(' ')[1] : api?.path
  return { name, file, exported, environment, queue: namedBy(event.sqs?.arn), path }
}

/** The logical name in `Ref` or `Fn::GetAtt`. */
export function namedBy(value: unknown): string | undefined {
  const { Ref, 'Fn::GetAtt': attribute } = (value ?? {}) as {
    readonly Ref?: string
    readonly 'Fn::GetAtt'?: string | readonly string[]
  }
  return Ref ?? [attribute].flat()[0]?.split('.')[0]
}
