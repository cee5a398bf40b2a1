import { ID_ATTRIBUTE, PACKED_ATTRIBUTE } from '../../../record/envelope/lineclearAttributes.ts'
import { parseObject } from '../../../record/envelope/json.ts'
import type { CallDescription } from '../faults/callDescription.ts'

interface Entry {
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>
  readonly VisibilityTimeout?: number
}
interface Input extends Entry {
  readonly QueueUrl?: string
  readonly TopicArn?: string
  readonly TargetArn?: string
  readonly QueueName?: string
  readonly Entries?: readonly Entry[]
  readonly PublishBatchRequestEntries?: readonly Entry[]
  readonly Bucket?: string
  readonly Key?: string
}

/** What a call of SQS, SNS or S3 does. undefined for an action that it does not know. */
export function describeMessages(action: string, input: Input): CallDescription | undefined {
  const to = (input.QueueUrl ?? input.QueueName ?? input.TopicArn ?? input.TargetArn ?? '')
    .split(/[/:]/)
    .at(-1)
  const entries = input.Entries ?? input.PublishBatchRequestEntries ?? [input]
  const many = entries.length === 1 ? '' : `${entries.length} messages `
  const about = (words: string): CallDescription => ({ words, ...(to && { to }) })
  switch (action) {
    case 'SendMessage':
    case 'SendMessageBatch':
      return { ...about(`${sendVerb(entries)} ${many}to ${to}`), ...idsOf(entries) }
    case 'Publish':
    case 'PublishBatch':
      return { ...about(`publishes ${many}to ${to}`), ...idsOf(entries) }
    case 'ReceiveMessage':
      return about(`receives from ${to}`)
    case 'DeleteMessage':
    case 'DeleteMessageBatch':
      return about(`deletes ${many || 'a message '}from ${to}`)
    case 'ChangeMessageVisibility':
    case 'ChangeMessageVisibilityBatch':
      return about(`${hideVerb(entries)} ${many || 'a message '}on ${to}`)
    case 'GetQueueAttributes':
    case 'GetQueueUrl':
      return about(`looks at queue ${to}`)
    case 'PutObject':
      return { words: `stores ${input.Bucket}/${input.Key}` }
    case 'GetObject':
    case 'HeadObject':
      return { words: `looks for ${input.Bucket}/${input.Key}` }
    default:
      return undefined
  }
}

/** Of several messages the first tells, because a call sends messages of one kind. */
function sendVerb([first]: readonly Entry[]): string {
  const packed = parseObject(first?.MessageAttributes?.[PACKED_ATTRIBUTE]?.StringValue ?? '')
  if (packed?.['death'] !== undefined) return 'sends a dead letter'
  return Number(packed?.['retry'] ?? 0) > 0 ? 'sends a retry' : 'sends'
}

function hideVerb([first]: readonly Entry[]): string {
  return first?.VisibilityTimeout === 0 ? 'shows' : 'hides'
}

function idsOf(entries: readonly Entry[]): { readonly sends?: readonly string[] } {
  const ids = entries.flatMap(
    ({ MessageAttributes }) => MessageAttributes?.[ID_ATTRIBUTE]?.StringValue ?? [],
  )
  return ids.length === 0 ? {} : { sends: ids }
}
