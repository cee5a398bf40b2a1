import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../library/base/kindOf.ts'
import { UsageError } from './usageError.ts'

/** A file in the working directory, written by `npm run demo`, with `--keep` or `--broken`, or by hand. */
const LOCAL_FILE = '.lineclear/local.json'

const MAY_NAME = ['dynamodb', 'sqs', 'sns', 'lambda', 'table', 'log', 'template'] as const

/**
 * URLs of its services (`lambda`: event source mappings), the name of its table, and relative to the working directory the paths of
 * the functions' log and of what would be deployed, as `lineclear doctor --template` takes it.
 */
export type LocalEndpoints = {
  readonly [Name in (typeof MAY_NAME)[number]]?: string | undefined
}

/** @throws UsageError when there is no local cloud to be found */
export function readLocal(cwd: string): LocalEndpoints {
  const file = parse(join(cwd, LOCAL_FILE))
  if (!isObject(file)) throw badFile()
  const isRight = MAY_NAME.every((name) => ['string', 'undefined'].includes(typeof file[name]))
  if (!isRight) throw badFile()
  return file
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
