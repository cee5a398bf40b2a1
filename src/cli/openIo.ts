import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { awsMessenger } from '../queue/awsMessenger.ts'
import { operatorSqs } from '../queue/operatorClient.ts'
import { dynamoDbReader } from '../store/dynamodb/dynamoDbReader.ts'
import { dynamoDbStore } from '../store/dynamodb/dynamoDbStore.ts'
import { operatorDynamoDb } from '../store/dynamodb/operatorClient.ts'
import type { Io } from './command.ts'
import type { Globals } from './globals.ts'
import { progressOn } from './progress.ts'
import { UsageError } from './usageError.ts'
import type { World } from './world.ts'

/** Written by `npm run demo -- --keep`, or by hand, in the working directory. */
const LOCAL_FILE = '.lineclear/local.json'
const DEFAULT_TABLE = 'lineclear'
interface Local {
  readonly dynamodb?: string | undefined
  readonly sqs?: string | undefined
  readonly table?: string | undefined
  /** Of the functions; relative to the working directory. */
  readonly log?: string | undefined
}

/** @param line the command as it was typed. @throws UsageError when there is no local cloud to be found */
export function openIo(globals: Globals, world: World, line: string): Io {
  const local = globals.local ? readLocal(world.cwd) : {}
  const table = globals.table ?? local.table ?? world.env['LINECLEAR_TABLE'] ?? DEFAULT_TABLE
  const shared = {
    ...(globals.local && LOCAL),
    ...(globals.region !== undefined && { region: globals.region }),
  }
  const dynamodb = once(
    () => world.dynamodb ?? operatorDynamoDb({ ...shared, ...at(local.dynamodb) }),
  )
  const sqs = once(() => world.sqs ?? operatorSqs({ ...shared, ...at(local.sqs) }))
  const { clock } = world
  return {
    out: world.out,
    err: world.err,
    json: globals.json,
    clock,
    table,
    logFiles: local.log === undefined ? [] : [resolve(world.cwd, local.log)],
    stdin: world.stdin,
    region: globals.region,
    width: world.width,
    change: {
      apply: globals.apply,
      force: globals.force,
      by: globals.by ?? world.user(),
      why: globals.why,
      line,
    },
    store: once(() => dynamoDbStore({ tableName: table, client: dynamodb(), clock })),
    reader: once(() => dynamoDbReader(table, dynamodb)),
    dynamodb,
    sqs,
    messenger: once(() => awsMessenger({ sqs: sqs() })),
    progress: (what) => progressOn(world.terminal, what),
  }
}

/** Of the local engines, which take any key. */
const LOCAL = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

function at(endpoint: string | undefined): { endpoint?: string } {
  return endpoint === undefined ? {} : { endpoint }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

function readLocal(cwd: string): Local {
  const path = join(cwd, LOCAL_FILE)
  const told = parse(path)
  if (typeof told !== 'object' || told === null) throw badFile()
  const { dynamodb, sqs, table, log } = told as Readonly<Record<string, unknown>>
  return { dynamodb: text(dynamodb), sqs: text(sqs), table: text(table), log: text(log) }
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
    `--local: there is no ${LOCAL_FILE} in the working directory, or it cannot be read, so no local cloud is known to be up. ` +
      'Start one with npm run demo -- --keep and leave it running; or write the file: {"dynamodb": URL, "sqs": URL, "table": NAME}',
  )
}

function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw badFile()
}
