import { refuseExpressions } from './dynamodbRules.ts'
import { actionOf, type Answer, type Middleware, type Next } from './middleware.ts'
import { toError, toFailedEntry, type Refusal } from './refusal.ts'
import { refusePublish, refusePublishBatch, type Published } from './snsRules.ts'
import { refuseMessage, refuseVisibility } from './sqsRules.ts'

interface Input {
  readonly QueueUrl?: string
  readonly TopicArn?: string
  readonly Entries?: readonly Entry[]
  readonly PublishBatchRequestEntries?: readonly Entry[]
  readonly MessageAttributeNames?: readonly string[]
}
interface Entry {
  readonly Id?: string
}

/** Where the engines are laxer than AWS, the client refuses: a program that runs here must run there. */
export function strictness(isRawTopic: (arn: string) => boolean): Middleware {
  return (next, context) => async (call) => {
    try {
      return await checked(actionOf(context), call.input, (changed) =>
        next({ ...call, ...changed }),
      )
    } catch (error) {
      throw asAwsNames(error)
    }
  }

  function checked(action: string, input: Input, send: Next): Promise<Answer> {
    const raw = isRawTopic(input.TopicArn ?? '')
    switch (action) {
      case 'SendMessage':
        return unless(refuseMessage(input as object, input.QueueUrl ?? ''), input, send)
      case 'SendMessageBatch':
        return entryByEntry(input, 'Entries', send, (entry) =>
          refuseMessage(entry, input.QueueUrl ?? ''),
        )
      case 'ChangeMessageVisibility':
        return unless(refuseVisibility(input as object), input, send)
      case 'ChangeMessageVisibilityBatch':
        return entryByEntry(input, 'Entries', send, refuseVisibility)
      case 'ReceiveMessage':
        return withholdAttributes(input, send)
      case 'Publish':
        return unless(refusePublish(input as object, raw), input, send)
      case 'PublishBatch':
        return publishBatch(input, send, raw)
      default:
        return unless(refuseExpressions(input as object), input, send)
    }
  }
}

/** fauxqs puts the prefix of the old query protocol before names that the SDK knows without it. */
function asAwsNames(error: unknown): unknown {
  const prefix = 'AWS.SimpleQueueService.'
  if (error instanceof Error && error.name.startsWith(prefix)) {
    error.name = error.name.slice(prefix.length)
  }
  return error
}

function unless(refusal: Refusal | undefined, input: object, send: Next): Promise<Answer> {
  if (refusal !== undefined) throw toError(refusal)
  return send({ input })
}

function publishBatch(input: Input, send: Next, raw: boolean): Promise<Answer> {
  const refusal = refusePublishBatch((input.PublishBatchRequestEntries ?? []) as Published[])
  if (refusal !== undefined) throw toError(refusal)
  return entryByEntry(input, 'PublishBatchRequestEntries', send, (entry) =>
    refusePublish(entry, raw),
  )
}

/** Sends the entries that AWS would take, and answers for the others as AWS does: HTTP 200, in `Failed`. */
async function entryByEntry(
  input: Input,
  list: 'Entries' | 'PublishBatchRequestEntries',
  send: Next,
  refuse: (entry: object) => Refusal | undefined,
): Promise<Answer> {
  const entries = input[list] ?? []
  refuseLongIds(entries)
  const failed = entries.flatMap((entry) => {
    const refusal = refuse(entry)
    return refusal === undefined ? [] : [{ entry, refused: toFailedEntry(entry.Id, refusal) }]
  })
  if (failed.length === 0) return send({ input })
  const refused = new Set(failed.map(({ entry }) => entry))
  const good = entries.filter((entry) => !refused.has(entry))
  const answer =
    good.length === 0 ? emptyAnswer() : await send({ input: { ...input, [list]: good } })
  return withFailed(
    answer,
    failed.map(({ refused }) => refused),
  )
}

function refuseLongIds(entries: readonly Entry[]): void {
  if (entries.every(({ Id = '' }) => Id.length <= 80)) return
  throw toError({
    code: 'InvalidBatchEntryId',
    message:
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
  })
}

function emptyAnswer(): Answer {
  const output = { $metadata: { httpStatusCode: 200, attempts: 1 }, Successful: [], Failed: [] }
  return { output, response: undefined }
}

function withFailed(answer: Answer, failed: readonly object[]): Answer {
  const output = answer.output as { readonly Failed?: readonly object[] }
  return { ...answer, output: { ...output, Failed: [...(output.Failed ?? []), ...failed] } }
}

/** SQS gives attributes only when asked; fauxqs 2.4.1 always gives them all. */
async function withholdAttributes(input: Input, send: Next): Promise<Answer> {
  const answer = await send({ input })
  if (input.MessageAttributeNames?.length) return answer
  const { Messages = [] } = answer.output as { readonly Messages?: readonly object[] }
  const messages = Messages.map((message) => ({
    ...message,
    MessageAttributes: undefined,
    MD5OfMessageAttributes: undefined,
  }))
  if (messages.length === 0) return answer
  return { ...answer, output: { ...answer.output, Messages: messages } }
}
