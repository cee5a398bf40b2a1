import type { CreateTableCommandInput, TimeToLiveSpecification } from '@aws-sdk/client-dynamodb'
import type { QueueDescription, TopicDescription } from '../../queues/description.ts'

export type {
  QueueDescription,
  SubscriptionDescription,
  TopicDescription,
} from '../../queues/description.ts'

/** Two string keys, or what CreateTable takes; `TimeToLiveSpecification` beside it, as CloudFormation has it. */
export type TableDescription =
  | { readonly hash: string; readonly range?: string }
  | (Omit<CreateTableCommandInput, 'TableName'> & {
      readonly TableName?: string | undefined
      readonly TimeToLiveSpecification?: TimeToLiveSpecification | undefined
    })

/** What the local cloud holds, each by its name. */
export interface CloudDescription {
  readonly queues?: Readonly<Record<string, QueueDescription>>
  readonly topics?: Readonly<Record<string, TopicDescription>>
  readonly tables?: Readonly<Record<string, TableDescription>>
}
