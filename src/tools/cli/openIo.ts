import { relative, resolve } from 'node:path'
import { awsMessenger } from '../../library/adapters/send/awsMessenger.ts'
import { operatorSqs } from '../operator/aws/queues.ts'
import { dynamoDbReader, operatorDynamoDb } from '../operator/aws/tableReader.ts'
import { dynamoDbStore } from '../../library/adapters/store/dynamodb/dynamoDbStore.ts'
import { withOptions } from '../operator/text/commandLine.ts'
import { againOn } from './again.ts'
import type { Command, ExitCode, Io } from './command.ts'
import { type Globals, placeOf } from './globals.ts'
import { lambdaReader, mappingClient } from './lambdaClients.ts'
import { snsReaders } from './snsReaders.ts'
import { storedObjects } from './storedObjects.ts'
import { styleFor, progressOn } from './terminal.ts'
import { localEndpoint, readLocal } from './readLocal.ts'
import type { CliProcess } from './process.ts'

const DEFAULT_TABLE = 'lineclear'

interface AllCommands {
  readonly commands: readonly Command[]
  readonly run: (args: readonly string[], cliProcess: CliProcess) => Promise<ExitCode>
}

/**
 * @param words the command as it was typed, quoted for a shell, without `--apply`
 * @throws UsageError when there is no local cloud to be found
 */
export function openIo(
  globals: Globals,
  cliProcess: CliProcess,
  words: readonly string[],
  all: AllCommands,
): Io {
  const local = globals.local ? readLocal(cliProcess.cwd) : undefined
  const table = globals.table ?? local?.table ?? cliProcess.env['LINECLEAR_TABLE'] ?? DEFAULT_TABLE
  const shared = {
    ...(local && LOCAL),
    ...(globals.region !== undefined && { region: globals.region }),
  }
  const endpointOf = (name: 'dynamodb' | 'sqs') => local && { endpoint: localEndpoint(local, name) }
  const dynamodb = lazy(
    () => cliProcess.dynamodb ?? operatorDynamoDb({ ...shared, ...endpointOf('dynamodb') }),
  )
  const sqs = lazy(() => cliProcess.sqs ?? operatorSqs({ ...shared, ...endpointOf('sqs') }))
  const { clock } = cliProcess
  const io: Omit<Io, 'again' | 'openLocal'> = {
    ...cliProcess,
    here: (sentence) => withOptions(sentence, placeOf(globals)),
    json: globals.json,
    table,
    local: globals.local,
    logFile: local?.log && resolve(cliProcess.cwd, local.log),
    template: local?.template && relative('.', resolve(cliProcess.cwd, local.template)),
    region: globals.region,
    width: widthOf(cliProcess),
    style: styleFor(cliProcess.width !== undefined, cliProcess.env),
    change: {
      apply: globals.apply,
      plan: globals.plan,
      force: globals.force,
      by: globals.by ?? cliProcess.user(),
      why: globals.why,
      line: words.join(' '),
      words,
      args: globals.rest,
    },
    store: lazy(() => dynamoDbStore({ tableName: table, client: dynamodb(), clock })),
    reader: lazy(() => dynamoDbReader({ tableName: table, client: dynamodb() })),
    dynamodb,
    sqs,
    lambdaReader: async () => lambdaReader(cliProcess, shared, local),
    snsReaders: async () => snsReaders(cliProcess, shared, local),
    lambda: async () => mappingClient(cliProcess, shared, local),
    objects: async () => storedObjects(cliProcess, shared, local),
    messenger: lazy(() => awsMessenger({ sqs: sqs() })),
    commands: all.commands,
    progress: (what) => progressOn(cliProcess.terminal, what),
  }
  return {
    ...io,
    again: againOn(io, globals, cliProcess, all.run),
    openLocal: () => openIo({ ...globals, local: true }, cliProcess, words, all),
  }
}

/** For the local engines, which accept any key. */
const LOCAL = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

function lazy<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** COLUMNS narrows what is piped too, as for other commands of Unix. */
function widthOf({ env, width }: CliProcess): number | undefined {
  const columns = env['COLUMNS'] ?? ''
  return /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : width
}
