import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from './usageError.ts'

/** A file in the working directory, written by `npm run demo`, with `--keep` or `--broken`, or by hand. */
const LOCAL_FILE = '.lineclear/local.json'

export interface LocalEndpoints {
  readonly dynamodb?: string | undefined
  readonly sqs?: string | undefined
  readonly sns?: string | undefined
  /** Lambda's event source mappings. */
  readonly lambda?: string | undefined
  readonly table?: string | undefined
  /** Path of the functions' log, relative to the working directory. */
  readonly log?: string | undefined
  /** What would be deployed, for `lineclear doctor --template`: path relative to the working directory. */
  readonly template?: string | undefined
}

/** @throws UsageError when there is no local cloud to be found */
export function readLocal(cwd: string): LocalEndpoints {
  const path = join(cwd, LOCAL_FILE)
  const file = parse(path)
  if (typeof file !== 'object' || file === null) throw badFile()
  const { dynamodb, sqs, sns, lambda, table, log, template } = file as Readonly<
    Record<string, unknown>
  >
  return {
    dynamodb: text(dynamodb),
    sqs: text(sqs),
    sns: text(sns),
    lambda: text(lambda),
    table: text(table),
    log: text(log),
    template: text(template),
  }
}

/** Without it the client would call AWS. @throws UsageError when the file names none */
export function localEndpoint(local: LocalEndpoints, name: 'dynamodb' | 'sqs'): string {
  const endpoint = local[name]
  if (endpoint !== undefined) return endpoint
  throw new UsageError(`--local: ${LOCAL_FILE} names no "${name}": this local cloud has none`)
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw badFile()
  }
}

function badFile(): UsageError {
  return new UsageError(
    `--local: there is no readable ${LOCAL_FILE} in the working directory, so no local cloud was found. ` +
      'Start one with npm run demo -- --broken (or --keep) and leave it running; or write the file: {"dynamodb": URL, "sqs": URL, "table": NAME}',
  )
}

function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw badFile()
}
