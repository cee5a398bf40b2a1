import type { CreateTableCommandInput, TimeToLiveSpecification } from '@aws-sdk/client-dynamodb'
import type { QueueDescription, TopicDescription } from '../../queues/description.ts'

export type {
  QueueDescription,
  SubscriptionDescription,
  TopicDescription,
} from '../../queues/description.ts'

/** A table: the names of its string keys, or the input of CreateTable with `TimeToLiveSpecification`, as in CloudFormation. */
export type TableDescription =
  | { readonly hash: string; readonly range?: string }
  | (Omit<CreateTableCommandInput, 'TableName'> & {
      readonly TableName?: string | undefined
      readonly TimeToLiveSpecification?: TimeToLiveSpecification | undefined
    })

/** The queues, topics and tables of a local cloud, by name, and its buckets. */
export interface CloudDescription {
  readonly queues?: Readonly<Record<string, QueueDescription>>
  readonly topics?: Readonly<Record<string, TopicDescription>>
  readonly tables?: Readonly<Record<string, TableDescription>>
  /** Names of S3 buckets, for results and payloads. Clients find them by `environment`. @example ['payloads'] */
  readonly buckets?: readonly string[]
}
