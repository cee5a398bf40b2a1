import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../library/base/clock.ts'
import type { EventFeed } from '../console/stream.ts'
import type { StoredObjects } from '../operator/forget/objects.ts'
import type { MappingClient } from '../operator/pause/findMappings.ts'
import type { LambdaReader, SnsReader } from '../doctor/account/clients.ts'
import type { ProgressStream } from './terminal.ts'

export interface CliProcess {
  out(line: string): void
  err(line: string): void
  readonly terminal: ProgressStream
  readonly stdin: AsyncIterable<Uint8Array | string>
  /** Width of the terminal, characters; undefined: there is none. */
  readonly width: number | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Live events of a local cloud that runs in this process, for the console. */
  readonly events?: EventFeed | undefined
  /** Ends the command at its next safe point. Default: Ctrl-C does. */
  readonly interrupt?: AbortSignal | undefined
  readonly clock: Clock
  version(): string
  /** Version of Node.js. Default: of this process. */
  readonly node?: string
  /** Name of the operating system's user. */
  user(): string
  /** Default: made from the options. */
  readonly dynamodb?: DynamoDBClient | undefined
  readonly sqs?: SQSClient | undefined
  readonly lambda?: LambdaReader | undefined
  readonly sns?: SnsReader | undefined
  readonly mappings?: MappingClient | undefined
  readonly objects?: StoredObjects | undefined
}
