import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { TableReader } from '../operator/aws/tableReader.ts'
import type { Messenger } from '../../library/protocol/send/messenger.ts'
import type { Store } from '../../library/protocol/store/store.ts'
import type { Again } from '../console/reply.ts'
import type { Arguments, Given, Options, Row } from '../commands/row.ts'
import type { LambdaReader, MissingClient, SnsReaders } from '../doctor/account/clients.ts'
import type { StoredObjects } from '../operator/forget/objects.ts'
import type { MappingClient } from '../operator/pause/findMappings.ts'
import type { Globals } from './globals.ts'
import type { CliProcess } from './process.ts'
import { untilInterrupted } from './interrupt.ts'
import { readGiven } from './readGiven.ts'
import type { Style, Progress } from './terminal.ts'

/**
 * Stable exit codes. 0: done, or nothing to do. 1: something was found, or a change was refused. 2: wrong arguments. 3: the table
 * or AWS gives no answer. 4: not found.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4

export interface Command extends Row {
  /**
   * @param args what came after its words, without the options that all commands have
   * @throws UsageError for wrong arguments, which ends with 2; a store or AWS that gives no answer ends with 3
   */
  run(args: readonly string[], io: Io): Promise<ExitCode>
}

export interface Section {
  readonly title: string
  readonly commands: readonly Command[]
}

interface TypedRow<A extends Arguments, O extends Options> extends Row<A, O> {
  /** @param signal of one that receives dead letters or is long: Ctrl-C, or its caller, ends it at its next safe point */
  run(given: Given<A, O>, io: Io, signal: AbortSignal): Promise<ExitCode>
}

/** A row whose `run` gets what was typed as the row says: read, checked and with its defaults. */
export function command<const A extends Arguments, const O extends Options>(
  row: TypedRow<A, O>,
): Command {
  return {
    ...row,
    async run(args, io) {
      const given = readGiven(row, args)
      const run = async (signal: AbortSignal): Promise<ExitCode> => row.run(given, io, signal)
      const stops = row.receives === true || row.long === true
      return stops ? untilInterrupted(io.interrupt, run) : run(io.interrupt ?? NEVER)
    },
  }
}

const NEVER = new AbortController().signal

/** What a command needs: where it writes, and what it works on. Clients are made at first use. */
export interface Io extends Pick<
  CliProcess,
  'out' | 'err' | 'clock' | 'cwd' | 'stdin' | 'version' | 'width' | 'events' | 'interrupt'
> {
  /** The same with the options `--local`, `--table` and `--region`, as they were given, in each command of the sentence. */
  here(sentence: string): string
  /** For machines: one JSON value on standard output, and nothing else there. */
  readonly json: boolean
  readonly change: ChangeOptions
  readonly table: string
  readonly local: boolean
  /** Log of the functions, which `--local` finds beside the local table. */
  readonly logFile: string | undefined
  /** The template of the local cloud, which `--local` finds beside the local table. As `doctor --template` takes it. */
  readonly template: string | undefined
  /** AWS region; undefined: as the SDK finds it. */
  readonly region: string | undefined
  store(): Store
  /** Reads that the store does not offer: all items of one partition, or of the table. */
  reader(): TableReader
  dynamodb(): DynamoDBClient
  sqs(): SQSClient
  /** Describes mappings and functions, if its client is installed. Only `doctor` needs it. */
  lambdaReader(): Promise<LambdaReader | MissingClient>
  /** Describes subscriptions, if its client is installed. Only `doctor` needs it. */
  snsReaders(): Promise<SnsReaders | MissingClient>
  /** Switches event source mappings, if its client is installed. */
  lambda(): Promise<MappingClient | MissingClient>
  /** The bucket of the option `offload`, if its client is installed. Only `forget` needs it. */
  objects(): Promise<StoredObjects | MissingClient>
  messenger(): Messenger
  readonly commands: readonly Command[]
  /** Runs another command on the same table and queues, with the same clients. */
  readonly again: Again
  /** Shows progress on standard error, and only on a terminal. */
  progress(what: string): Progress
  /** Colours, if the output is a terminal that shows them. */
  readonly style: Style
  /** The same for the local cloud of the working directory, once it is up. @throws UsageError when there is none */
  openLocal(): Io
}

interface ChangeOptions extends Pick<Globals, 'apply' | 'plan' | 'force' | 'why'> {
  /** Default: the user of the operating system. */
  readonly by: string
  /** The command as it was typed, without `--apply`. */
  readonly line: string
  readonly words: readonly string[]
  /** The command's name and its own arguments. */
  readonly args: readonly string[]
}
