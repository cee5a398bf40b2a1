import { actionOf, type SdkAnswer, type SdkMiddleware } from '../sdk/instrument.ts'

type SystemAttributes = Readonly<Record<string, string>>

interface Sent {
  readonly Id?: string
  readonly MessageGroupId?: string
  readonly MessageSystemAttributes?: {
    readonly AWSTraceHeader?: { readonly StringValue?: string }
  }
}
interface Taken {
  readonly Id?: string
  readonly MessageId?: string
}
interface Received {
  readonly MessageId?: string
  readonly Attributes?: SystemAttributes
}
interface ReceiveRequest {
  readonly AttributeNames?: readonly string[]
  readonly MessageSystemAttributeNames?: readonly string[]
}

/**
 * fauxqs 2.4.1 loses AWSTraceHeader, the MessageGroupId of a standard queue, and DeadLetterQueueSourceArn. This middleware
 * remembers them by message id on send and restores them on receive. All clients of a cloud share it.
 */
export function restoreLostAttributes(
  deadLetterSourceOf: (messageId: string) => string | undefined,
): SdkMiddleware {
  const kept = new Map<string, SystemAttributes>()
  const keep = (sent: Sent, { MessageId }: Taken): void => {
    if (MessageId === undefined) return
    const trace = sent.MessageSystemAttributes?.AWSTraceHeader?.StringValue
    const attributes = present({ AWSTraceHeader: trace, MessageGroupId: sent.MessageGroupId })
    if (Object.keys(attributes).length > 0) kept.set(MessageId, attributes)
  }
  const recall = (message: Received, asked: readonly string[]): Received => {
    const { MessageId = '' } = message
    const known: SystemAttributes = {
      ...kept.get(MessageId),
      ...present({ DeadLetterQueueSourceArn: deadLetterSourceOf(MessageId) }),
    }
    const names = Object.keys(known).filter((name) => asked.includes('All') || asked.includes(name))
    if (names.length === 0) return message
    const added = Object.fromEntries(names.map((name) => [name, known[name] ?? '']))
    return { ...message, Attributes: { ...added, ...message.Attributes } }
  }
  return (next, context) => async (call) => {
    const answer = await next(call)
    switch (actionOf(context)) {
      case 'SendMessage':
        keep(call.input, answer.output)
        return answer
      case 'SendMessageBatch':
        for (const [sent, taken] of matched(call.input, answer.output)) keep(sent, taken)
        return answer
      case 'ReceiveMessage':
        return recalled(call.input, answer, recall)
      default:
        return answer
    }
  }
}

function matched(
  { Entries = [] }: { readonly Entries?: readonly Sent[] },
  { Successful = [] }: { readonly Successful?: readonly Taken[] },
): readonly (readonly [Sent, Taken])[] {
  const byId = new Map(Entries.map((entry) => [entry.Id, entry]))
  return Successful.map((taken) => [byId.get(taken.Id) ?? {}, taken])
}

function recalled(
  { AttributeNames = [], MessageSystemAttributeNames = [] }: ReceiveRequest,
  answer: SdkAnswer,
  recall: (message: Received, asked: readonly string[]) => Received,
): SdkAnswer {
  const { Messages } = answer.output as { readonly Messages?: readonly Received[] }
  const asked = [...AttributeNames, ...MessageSystemAttributeNames]
  if (Messages === undefined || asked.length === 0) return answer
  const output = { ...answer.output, Messages: Messages.map((message) => recall(message, asked)) }
  return { ...answer, output }
}

function present(attributes: Readonly<Record<string, string | undefined>>): SystemAttributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}
