import { resolve } from 'node:path'
import { awsMessenger } from '../../queue/awsMessenger.ts'
import { operatorSqs } from '../../queue/operatorClient.ts'
import { dynamoDbReader } from '../../store/dynamodb/dynamoDbReader.ts'
import { dynamoDbStore } from '../../store/dynamodb/dynamoDbStore.ts'
import { operatorDynamoDb } from '../../store/dynamodb/operatorClient.ts'
import type { Io } from './command.ts'
import type { Globals } from './globals.ts'
import { doctorClients } from './doctorClients.ts'
import { progressOn } from './progress.ts'
import { type Local, readLocal } from './readLocal.ts'
import type { World } from './process.ts'

const DEFAULT_TABLE = 'lineclear'

/** @param line the command as it was typed. @throws UsageError when there is no local cloud to be found */
export function openIo(globals: Globals, world: World, line: string): Io {
  const local: Local = globals.local ? readLocal(world.cwd) : {}
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
    doctorClients: async () => doctorClients(world, shared, globals.local ? local : undefined),
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
